import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '@keydesk/testing';
import * as oauth from 'openid-client';

/** A developer's web application, on a site of its own, that signs people in by openid-client. */
export interface Application {
  /** Its home page. From there `#sign-in` and `#sign-out` lead to the server. */
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  /** Takes on what it got when it was registered. */
  configure(clientId: string, clientSecret: string): Promise<void>;
  /** What it got last. @throws {Error} before anybody has signed in */
  tokens(): oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers;
  /** Asks for other tokens by its refresh token. @throws {oauth.ResponseBodyError} when it is refused */
  refresh(): Promise<oauth.TokenEndpointResponse>;
  close(): Promise<void>;
}

/** The site of the application; the browser has to look for it on this machine. */
export const APPLICATION_HOST = 'app.example';

const SCOPE = 'openid profile email offline_access tickets:read';
const html = (content: string) => `<!doctype html><html lang="en"><title>Printshop</title>${content}</html>`;
const homePage = html(
  '<a id="sign-in" href="/sign-in">Sign in</a> <a id="sign-out" href="/sign-out">Out</a>',
);

export async function startApplication(issuer: string): Promise<Application> {
  const server = createServer(createCertificate());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://${APPLICATION_HOST}:${(server.address() as AddressInfo).port}/`;
  const [redirectUri, postLogoutRedirectUri] = [`${url}callback`, `${url}bye`];
  const pending = new Map<string, string>();
  let configuration: oauth.Configuration | undefined;
  let tokens: ReturnType<Application['tokens']> | undefined;

  async function toSignIn(): Promise<URL> {
    const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()];
    pending.set(state, verifier);
    return oauth.buildAuthorizationUrl(existing(configuration), {
      redirect_uri: redirectUri,
      scope: SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
  }

  /** What the page says to which the server sent somebody back. */
  async function comeBack(callback: URL): Promise<string> {
    const expectedState = callback.searchParams.get('state') ?? '';
    const pkceCodeVerifier = pending.get(expectedState) ?? '';
    try {
      tokens = await oauth.authorizationCodeGrant(existing(configuration), callback, {
        expectedState,
        pkceCodeVerifier,
      });
      return html(`<h1>Hello ${tokens.claims()?.sub}</h1>`);
    } catch (err) {
      return html(`<h1>${err instanceof oauth.AuthorizationResponseError ? err.error : err}</h1>`);
    }
  }

  function toSignOut(): URL {
    return oauth.buildEndSessionUrl(existing(configuration), {
      id_token_hint: existing(tokens).id_token ?? '',
      post_logout_redirect_uri: postLogoutRedirectUri,
    });
  }

  server.on('request', async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const goTo = (location: URL) => response.writeHead(303, { Location: location.href }).end();
    const show = (page: string) => response.setHeader('Content-Type', 'text/html').end(page);
    if (asked.pathname === '/sign-in') return goTo(await toSignIn());
    if (asked.pathname === '/sign-out') return goTo(toSignOut());
    if (asked.pathname === '/callback') return show(await comeBack(asked));
    return show(asked.pathname === '/bye' ? html('<h1>Bye</h1>') : homePage);
  });

  return {
    url,
    redirectUri,
    postLogoutRedirectUri,
    async configure(clientId, clientSecret) {
      const authentication = oauth.ClientSecretBasic(clientSecret);
      configuration = await oauth.discovery(new URL(issuer), clientId, undefined, authentication, {
        execute: [oauth.allowInsecureRequests],
      });
    },
    tokens: () => existing(tokens),
    refresh: () => oauth.refreshTokenGrant(existing(configuration), existing(tokens).refresh_token ?? ''),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The application is not as far as that.');
  return value;
}
