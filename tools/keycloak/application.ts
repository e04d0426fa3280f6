import * as oidc from 'openid-client';
import type { BrowserContext, Page } from 'playwright-core';
import type { Deployment } from '../conformance/deployment.ts';

const SCOPE = 'openid profile email offline_access tickets:read tickets:write';

/** An application of Keydesk: gets tokens in a browser, and calls the API. */
export interface Application {
  /** Begins a sign-in in a page, directly at a provider. */
  begin(page: Page, provider: string): Promise<void>;
  /** Waits until the page is at the application; resolves with the tokens. */
  finish(page: Page): Promise<Tokens>;
  refresh(tokens: Tokens): Promise<Tokens>;
  /** Sends a request to the API; resolves with the status and the body. */
  call(tokens: Tokens, path: string, body?: object): Promise<{ status: number; body: unknown }>;
}

export type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** Registers the application. No server listens at its redirect URI; the browser answers it. */
export async function createApplication(deployment: Deployment): Promise<Application> {
  const redirectUri = 'https://printshop.example/callback';
  const client = ['--name', 'Printshop', '--type', 'spa', '--redirect-uri', redirectUri];
  const { client_id: clientId } = await deployment.addClient(
    ...client,
    '--scope',
    'tickets:read tickets:write',
  );
  const configuration = await oidc.discovery(new URL(deployment.issuer), clientId, undefined, oidc.None());
  const pending = new WeakMap<Page, { state: string; verifier: string }>();

  return {
    async begin(page, provider) {
      const checks = { state: oidc.randomState(), verifier: oidc.randomPKCECodeVerifier() };
      pending.set(page, checks);
      await answerRedirects(page.context(), redirectUri);
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: checks.state,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        idp_hint: provider,
        prompt: 'consent',
      });
      await page.goto(url.href);
    },
    async finish(page) {
      await page.waitForURL((url) => url.href.startsWith(redirectUri));
      const { state = '', verifier = '' } = pending.get(page) ?? {};
      const checks = { expectedState: state, pkceCodeVerifier: verifier };
      return oidc.authorizationCodeGrant(configuration, new URL(page.url()), checks);
    },
    refresh: ({ refresh_token: token = '' }) => oidc.refreshTokenGrant(configuration, token),
    async call({ access_token: token }, path, body) {
      const response = await fetch(`${deployment.api}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** Answers a redirect URI that has no server. */
export async function answerRedirects(context: BrowserContext, redirectUri: string): Promise<void> {
  await context.route(`${redirectUri}?*`, (route) => route.fulfill({ body: 'Back at the application.' }));
}
