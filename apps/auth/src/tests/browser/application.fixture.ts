import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createCertificate } from '@keydesk/testing';
import { createRelyingParty, type RelyingParty, type SignInOptions } from './relying-party.fixture.ts';

/** A developer's web application on its own site. */
export interface Application
  extends Pick<RelyingParty, 'configure' | 'buildSignInUrl' | 'tokens' | 'refresh'> {
  /** Home page; `#sign-in`, `#sign-in-by-form`, `#stay-signed-in` and `#sign-out` link to the server. */
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  close(): Promise<void>;
}

/** Host of the application, which the browser has to resolve to loopback. */
export const APPLICATION_HOST = 'app.example';

/** Options of the sign-in behind each link of the home page. */
const signIns: Readonly<Record<string, SignInOptions>> = {
  '/sign-in': {},
  '/sign-in-by-form': { parameters: { response_mode: 'form_post' } },
  '/stay-signed-in': { staysSignedIn: true },
};
const html = (content: string) => `<!doctype html><html lang="en"><title>Printshop</title>${content}</html>`;
const homePage = html(`
<a id="sign-in" href="/sign-in">Sign in</a>
<a id="sign-in-by-form" href="/sign-in-by-form">Sign in by a form</a>
<a id="stay-signed-in" href="/stay-signed-in">Sign in and stay signed in</a>
<a id="sign-out" href="/sign-out">Sign out</a>`);

export async function startApplication(issuer: string): Promise<Application> {
  const server = createServer(createCertificate());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://${APPLICATION_HOST}:${(server.address() as AddressInfo).port}/`;
  // Like most applications, it redirects from the callback to another host.
  const website = `https://www.${APPLICATION_HOST}:${new URL(url).port}/`;
  const addresses = { redirectUri: `${url}callback`, postLogoutRedirectUri: `${url}bye` };
  const toMessagePage = (said: string) => new URL(`?${new URLSearchParams({ said })}`, website);
  const party = createRelyingParty({ issuer, ...addresses });

  server.on('request', async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const goTo = (location: URL) => response.writeHead(303, { Location: location.href }).end();
    const show = (page: string) => response.setHeader('Content-Type', 'text/html').end(page);
    const signIn = signIns[asked.pathname];
    if (signIn) return goTo(await party.buildSignInUrl(signIn));
    if (asked.pathname === '/sign-out') return goTo(party.buildSignOutUrl());
    if (asked.pathname === '/callback')
      return goTo(toMessagePage(await party.handleCallback(await toCallback(request, asked))));
    if (asked.pathname === '/bye') return goTo(toMessagePage('Bye'));
    const said = asked.searchParams.get('said');
    return show(said === null ? homePage : html(`<h1>${said}</h1>`));
  });

  return {
    ...party,
    ...addresses,
    url,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the authorization response: the URL with its query, or the posted form. */
async function toCallback(request: IncomingMessage, url: URL): Promise<URL | Request> {
  if (request.method !== 'POST') return url;
  const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
  return new Request(url, { method: 'POST', headers, body: await text(request) });
}
