import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '@keydesk/testing';
import { createRelyingParty, type RelyingParty } from './relying-party.fixture.ts';

/** A developer's web application, on a site of its own. */
export interface Application extends Pick<RelyingParty, 'configure' | 'toSignIn' | 'tokens' | 'refresh'> {
  /** Its home page. From there `#sign-in`, `#stay-signed-in` and `#sign-out` lead to the server. */
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  close(): Promise<void>;
}

/** The site of the application; the browser has to look for it on this machine. */
export const APPLICATION_HOST = 'app.example';

const html = (content: string) => `<!doctype html><html lang="en"><title>Printshop</title>${content}</html>`;
const homePage = html(`
<a id="sign-in" href="/sign-in">Sign in</a>
<a id="stay-signed-in" href="/stay-signed-in">Sign in and stay so</a>
<a id="sign-out" href="/sign-out">Sign out</a>`);

export async function startApplication(issuer: string): Promise<Application> {
  const server = createServer(createCertificate());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://${APPLICATION_HOST}:${(server.address() as AddressInfo).port}/`;
  // As with most applications, what takes the code is not what people see next.
  const front = `https://www.${APPLICATION_HOST}:${new URL(url).port}/`;
  const addresses = { redirectUri: `${url}callback`, postLogoutRedirectUri: `${url}bye` };
  const toSay = (said: string) => new URL(`?${new URLSearchParams({ said })}`, front);
  const party = createRelyingParty({ issuer, ...addresses });

  server.on('request', async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const goTo = (location: URL) => response.writeHead(303, { Location: location.href }).end();
    const show = (page: string) => response.setHeader('Content-Type', 'text/html').end(page);
    if (asked.pathname === '/sign-in') return goTo(await party.toSignIn());
    if (asked.pathname === '/stay-signed-in') return goTo(await party.toSignIn({ staysSignedIn: true }));
    if (asked.pathname === '/sign-out') return goTo(party.toSignOut());
    if (asked.pathname === '/callback') return goTo(toSay(await party.comeBack(asked)));
    if (asked.pathname === '/bye') return goTo(toSay('Bye'));
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
