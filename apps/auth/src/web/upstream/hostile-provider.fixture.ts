import { hash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';

/** Deviations of the provider from the specification. */
export interface Misbehavior {
  /** Members of the ID token; `undefined` removes one. */
  idToken?: Record<string, unknown>;
  algorithm?: 'none' | 'HS256' | 'ES256';
  /** Type of logout tokens. */
  typ?: string;
  /** Signs with a key that is not in the key set. */
  hasOtherKey?: boolean;
  /** Parameters of the authorization response; `undefined` removes one. */
  response?: Record<string, string | undefined>;
  metadata?: Record<string, unknown>;
  /** Status of every response. */
  status?: number;
}

/** An identity provider that a test controls; the user is signed in there and consents to everything. */
export interface HostileProvider {
  issuer: string;
  /** Claims of the next users that sign in. */
  user: JWTPayload & { sub: string; email?: string };
  misbehavior: Misbehavior;
  /** Parameters of the last authentication request. */
  lastRequest(): URLSearchParams;
  /** Sends the user through the provider; returns the URL of the redirect back. */
  authorize(url: URL): Promise<URL>;
  /** Signs a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4); a member that is `undefined` is left out. */
  createLogoutToken(claims: Record<string, unknown>): Promise<string>;
  /** Replaces the signing key. */
  rotateKey(): Promise<void>;
  toProvider(members?: Partial<IdentityProvider>): IdentityProvider;
  stop(): Promise<void>;
}

const CLIENT_ID = 'keydesk';
const CLIENT_SECRET = 'secret of the client, long enough for HS256';

interface IssuedCode {
  nonce: string | undefined;
  challenge: string;
  user: JWTPayload;
}

/** Issued codes of the provider, its key, and the fixture that tests control. */
interface State {
  provider: HostileProvider;
  codes: Map<string, IssuedCode>;
  key: Awaited<ReturnType<typeof createKey>>;
  last: URLSearchParams;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const server = createServer((request, response) => void answer(state, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    user: { sub: 'ada' },
    misbehavior: {},
    lastRequest: () => state.last,
    async authorize(url) {
      const response = await fetch(url, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`No redirect, but ${response.status}.`);
      return new URL(location);
    },
    createLogoutToken(claims) {
      const now = Math.floor(Date.now() / 1000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const standard = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 120, jti: randomUUID(), events };
      return sign(state, JSON.parse(JSON.stringify({ ...standard, ...claims })), 'logout+jwt');
    },
    async rotateKey() {
      state.key = await createKey();
    },
    toProvider: (members) => createProvider({ issuer, ...members }),
    async stop() {
      server.close().closeAllConnections();
    },
  };
  const state: State = { provider, codes: new Map(), key: await createKey(), last: new URLSearchParams() };
  return provider;
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', state.provider.issuer);
  const { status } = state.provider.misbehavior;
  if (status !== undefined) return void response.writeHead(status).end();
  if (url.pathname === '/authorize') return redirectBack(state, url, response);
  const found =
    url.pathname === '/token'
      ? await redeem(state, new URLSearchParams(await text(request)))
      : find(state, url.pathname);
  response.writeHead(found ? 200 : 400, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(found ?? { error: 'invalid_grant' }));
}

function find({ provider, key }: State, path: string): object | undefined {
  const { issuer, misbehavior } = provider;
  if (path === '/jwks') return { keys: [key.published] };
  if (path !== '/.well-known/openid-configuration') return undefined;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
    ...misbehavior.metadata,
  };
}

function redirectBack(state: State, { searchParams }: URL, response: ServerResponse): void {
  const { codes, provider } = state;
  state.last = searchParams;
  const code = randomBytes(8).toString('hex');
  const nonce = searchParams.get('nonce') ?? undefined;
  codes.set(code, { nonce, challenge: searchParams.get('code_challenge') ?? '', user: provider.user });
  const location = new URL(searchParams.get('redirect_uri') ?? '');
  const parameters = { code, state: searchParams.get('state') ?? '', iss: provider.issuer };
  for (const [name, value] of Object.entries({ ...parameters, ...provider.misbehavior.response }))
    if (value !== undefined) location.searchParams.set(name, value);
  response.writeHead(303, { Location: location.href }).end();
}

async function redeem(state: State, form: URLSearchParams): Promise<object | undefined> {
  const { codes, provider } = state;
  const issued = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  const verifier = form.get('code_verifier') ?? '';
  if (!issued || issued.challenge !== hash('sha256', verifier, 'base64url')) return undefined;
  const now = Math.floor(Date.now() / 1000);
  const standard = { iss: provider.issuer, aud: CLIENT_ID, iat: now, exp: now + 60, nonce: issued.nonce };
  const claims = { ...standard, ...issued.user, ...provider.misbehavior.idToken };
  const idToken = await sign(state, JSON.parse(JSON.stringify(claims)));
  return { access_token: 'a', token_type: 'Bearer', id_token: idToken };
}

async function sign({ provider, key }: State, claims: JWTPayload, type?: string): Promise<string> {
  const { algorithm, hasOtherKey, typ = type } = provider.misbehavior;
  if (algorithm === 'none') return new UnsecuredJWT(claims).encode();
  const jwt = new SignJWT(claims);
  if (algorithm === 'HS256') return jwt.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT_SECRET));
  if (algorithm === 'ES256')
    return jwt.setProtectedHeader({ alg: 'ES256' }).sign((await generateKeyPair('ES256')).privateKey);
  const { privateKey } = hasOtherKey ? await createKey() : key;
  const header = { alg: 'RS256', kid: key.published.kid, ...(typ !== undefined && { typ }) };
  return jwt.setProtectedHeader(header).sign(privateKey);
}

async function createKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const kid = randomBytes(4).toString('hex');
  return { privateKey, published: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } };
}

/** Returns the configuration of a provider. */
export function createProvider(
  members: Partial<IdentityProvider> & Pick<IdentityProvider, 'issuer'>,
): IdentityProvider {
  return { ...defaults, ...members };
}

const defaults: Omit<IdentityProvider, 'issuer'> = {
  id: 'acme',
  name: 'Acme Directory',
  protocol: 'oidc',
  clientId: CLIENT_ID,
  authentication: { method: 'client_secret_basic', secret: CLIENT_SECRET },
  scopes: ['openid', 'email', 'profile'],
  idTokenAlgorithm: 'RS256',
  responseMode: 'query',
  parameters: {},
  logoPath: undefined,
  allowedDomains: [],
  homeDomains: [],
  trustedDomains: [],
  verifiesAddresses: false,
  isAuthenticationTrusted: false,
  multiFactorAcrs: [],
  canReauthenticate: true,
  isLogOutOffered: false,
  isSignUpOpen: undefined,
  profileClaims: { name: 'name' },
  roles: undefined,
};
