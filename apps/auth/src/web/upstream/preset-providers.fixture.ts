import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Endpoints of a provider: each answers the path with JSON; `undefined` is 404. */
export type Answer = (request: {
  path: string;
  form: URLSearchParams;
  headers: IncomingMessage['headers'];
}) => object | undefined | Promise<object | undefined>;

/** A provider that behaves as its public documentation says. */
export interface DocumentedProvider {
  issuer: string;
  /** Forms that the token endpoint received. */
  tokenRequests: URLSearchParams[];
  stop(): Promise<void>;
}

async function start(create: (issuer: string, tokenRequests: URLSearchParams[]) => Answer) {
  const tokenRequests: URLSearchParams[] = [];
  let answer: Answer = () => undefined;
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const found = await answer({ path: request.url ?? '/', form, headers: request.headers });
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(found ?? { message: 'Not Found' }));
  }
  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = create(issuer, tokenRequests);
  return { issuer, tokenRequests, stop: async () => void server.close().closeAllConnections() };
}

export interface GitHubUser {
  id: number;
  login: string;
  name: string;
  emails: readonly { email: string; primary: boolean; verified: boolean; visibility: string | null }[];
}

/** GitHub Enterprise Server: "Authorizing OAuth apps", and the REST API at `/api/v3`. Any code is of the user. */
export function startGitHub(user: () => GitHubUser): Promise<DocumentedProvider> {
  const accessToken = `gho_${randomBytes(18).toString('hex')}`;
  const isAuthorized = (headers: IncomingMessage['headers']) =>
    headers.authorization === `Bearer ${accessToken}` && headers['user-agent'] !== undefined;

  return start((_, tokenRequests) => ({ path, form, headers }) => {
    if (path === '/login/oauth/access_token') {
      tokenRequests.push(form);
      // Errors have the status 200, too.
      return form.get('code') === 'wrong'
        ? { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
        : { access_token: accessToken, scope: 'read:user,user:email', token_type: 'bearer' };
    }
    return isAuthorized(headers) ? readUser(path, user()) : undefined;
  });
}

function readUser(path: string, { emails, ...profile }: GitHubUser): object | undefined {
  if (path === '/api/v3/user/emails') return emails;
  // The public address of a profile is chosen by its user.
  return path === '/api/v3/user' ? { ...profile, email: 'public@example.com', avatar_url: null } : undefined;
}

/** Sign in with Apple: discovery, and ID tokens with booleans as text. Any code is of the user. */
export async function startApple(claims: () => object): Promise<DocumentedProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'apple', use: 'sig', alg: 'RS256' };
  const sign = (members: Record<string, unknown>) =>
    new SignJWT(members).setProtectedHeader({ alg: 'RS256', kid: 'apple' }).sign(privateKey);
  const started = await start((issuer, tokenRequests) => async ({ path, form }) => {
    if (path === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth/authorize`,
        token_endpoint: `${issuer}/auth/token`,
        jwks_uri: `${issuer}/auth/keys`,
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'fragment', 'form_post'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      };
    if (path === '/auth/keys') return { keys: [key] };
    if (path !== '/auth/token') return undefined;
    tokenRequests.push(form);
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: issuer, aud: form.get('client_id'), iat: now, exp: now + 600 };
    const idToken = await sign({ ...standard, nonce_supported: true, ...claims() });
    return { access_token: 'a', token_type: 'Bearer', expires_in: 3600, id_token: idToken };
  });
  return started;
}
