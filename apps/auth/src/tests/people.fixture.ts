import { randomBytes } from 'node:crypto';
import * as oauth from 'openid-client';
import type { ClientRequest } from '../clients/client-rules.ts';
import { type Browser, createBrowser, type Page } from './browser.fixture.ts';
import { password, type TestServer } from './test-server.fixture.ts';

export const REDIRECT_URI = 'https://app.example/callback';
export const LOGGED_OUT_URI = 'https://app.example/bye';

/** A user with a browser, and the application that they use. */
export interface Journey {
  server: TestServer;
  email: string;
  accountId: string;
  clientId: string;
  clientSecret: string | null;
  browser: Browser;
  /** The application as a client of openid-client. */
  application: oauth.Configuration;
}

export interface JourneyOptions {
  type?: 'web' | 'spa' | 'native';
  redirectUri?: string;
  role?: 'customer' | 'agent' | 'admin';
  /** Account of the developer who registers the application; default: an operator registers it. */
  owner?: string;
  /** Further members of the registration. */
  client?: Partial<ClientRequest>;
  /** Client authentication; default: by its secret, if it has one. */
  authentication?: oauth.ClientAuth;
}

export async function startJourney(server: TestServer, options: JourneyOptions = {}): Promise<Journey> {
  const { type = 'web', redirectUri = REDIRECT_URI, role = 'agent' } = options;
  const account = await server.addAccount({ role, name: 'Ada Lovelace' });
  const request = {
    type,
    name: 'Printshop Status',
    scopes: ['tickets:read', 'tickets:write'],
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [LOGGED_OUT_URI],
    ...options.client,
  };
  const { client, secret } = await (options.owner === undefined
    ? server.clients.add(request)
    : server.clients.register(request, { id: options.owner, limit: 10 }));
  const ownAuthentication = secret === null ? oauth.None() : oauth.ClientSecretBasic(secret);
  const { authentication = ownAuthentication } = options;
  const application = await oauth.discovery(new URL(server.url), client.id, undefined, authentication, {
    execute: [oauth.allowInsecureRequests],
  });
  return {
    server,
    email: account.email,
    accountId: account.id,
    clientId: client.id,
    clientSecret: secret,
    browser: createBrowser(server.url),
    application,
  };
}

/** An authorization request, with the values that the application checks in the response. */
export interface Request {
  url: URL;
  verifier: string;
  state: string;
  nonce: string;
}

export async function createRequest(
  { application }: Pick<Journey, 'application'>,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Request> {
  const verifier = oauth.randomPKCECodeVerifier();
  const [state, nonce] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  const url = oauth.buildAuthorizationUrl(application, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email offline_access tickets:read',
    prompt: 'consent',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { url, verifier, state, nonce };
}

/** Submits the sign-in form of a page. */
export async function signIn(
  { browser, email }: Pick<Journey, 'browser' | 'email'>,
  page: Page,
): Promise<Page> {
  return browser.submit(page, 'sign-in', { email, password });
}

/** Opens a request, signs in and consents where asked; returns the redirect to the application. */
export async function authorize(journey: Journey, { url }: Request): Promise<URL> {
  let page = await journey.browser.open(url);
  if (page.html.includes('id="sign-in"')) page = await signIn(journey, page);
  if (page.html.includes('id="consent"'))
    page = await journey.browser.submit(page, 'consent', { decision: 'allow' });
  if (page.status !== 0) throw new Error(`No redirect to the application, but ${page.status}: ${page.html}`);
  return page.url;
}

export async function redeem(
  { application }: Pick<Journey, 'application'>,
  { verifier, state, nonce }: Request,
  callback: URL | globalThis.Request,
  options?: oauth.DPoPOptions,
) {
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return oauth.authorizationCodeGrant(application, callback, checks, undefined, options);
}

/** Runs a whole authorization code flow and returns its tokens. */
export async function obtainTokens(
  journey: Journey,
  parameters: Readonly<Record<string, string>> = {},
  options?: oauth.DPoPOptions,
) {
  const request = await createRequest(journey, parameters);
  return redeem(journey, request, await authorize(journey, request), options);
}
