import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSigningKey, encodeToken, signEs256 } from '@keydesk/testing';
import { type AdapterPayload, Provider } from 'oidc-provider';
import { createSealer, deriveKey } from '../../keys/sealing.ts';
import type { Storage } from '../../storage/storage.ts';
import { createAdapterFactory } from '../adapter.ts';

export interface TokenResponse {
  status: number;
  body: { error?: string; access_token?: string; refresh_token?: string };
}

/** A plain oidc-provider for the three-legged flow, with our adapter and one of our storages. */
export interface ThreeLeggedServer {
  /** Creates a grant and a code as after a user's consent; `redemptionRequestOf` returns the request that redeems it. */
  issueCode(): Promise<string>;
  requestToken(parameters: Record<string, string>): Promise<TokenResponse>;
  /** Returns the status of the userinfo endpoint for the access token of a response. */
  useAccessToken(answer: TokenResponse): Promise<number>;
  stop(): void;
}

const ISSUER = 'https://auth.example';
const REDIRECT_URI = 'https://app.example/callback';
const SCOPE = 'openid offline_access';

const signingKey = createSigningKey();
const assertionKey = createSigningKey();
const codeVerifier = randomBytes(32).toString('base64url');

const clients: Record<string, AdapterPayload> = {
  app: {
    client_id: 'app',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'ES256',
  },
  machine: {
    client_id: 'machine',
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    id_token_signed_response_alg: 'ES256',
    jwks: { keys: [assertionKey.jwk as Record<string, string>] },
  },
};

export async function startThreeLeggedServer(storage: Storage): Promise<ThreeLeggedServer> {
  const provider = createProvider(storage);
  const server = createServer(provider.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issueCode: () => issueCode(provider),
    async requestToken(parameters) {
      const response = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(parameters) });
      return { status: response.status, body: (await response.json()) as TokenResponse['body'] };
    },
    async useAccessToken({ body }) {
      const headers = { authorization: `Bearer ${body.access_token}` };
      return (await fetch(`${url}/me`, { headers })).status;
    },
    stop() {
      server.close().closeAllConnections();
    },
  };
}

/** Returns the parameters that redeem a code. */
export function redemptionRequestOf(code: string): Record<string, string> {
  const grant = { grant_type: 'authorization_code', code, code_verifier: codeVerifier };
  return { ...grant, client_id: 'app', redirect_uri: REDIRECT_URI };
}

/** Returns the parameters that redeem the refresh token of a response. */
export function refreshRequestOf({ body }: TokenResponse): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' };
}

/** Returns the parameters of a machine client that authenticates with a new assertion. */
export function createAssertion(): Record<string, string> {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: 'machine', sub: 'machine', aud: ISSUER, jti: randomUUID(), iat, exp: iat + 60 };
  const header = { alg: 'ES256', kid: assertionKey.kid };
  return {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: encodeToken(header, claims, (input) => signEs256(input, assertionKey)),
  };
}

function createProvider({ artifacts }: Storage): Provider {
  const privateJwk = signingKey.privateKey.export({ format: 'jwk' });
  return new Provider(ISSUER, {
    adapter: createAdapterFactory({
      artifacts,
      sealer: createSealer(deriveKey('a-master-secret-of-some-length-0', 'tests')),
      now: () => new Date(),
      findClient: async (id) => clients[id],
    }),
    jwks: { keys: [{ ...privateJwk, kid: signingKey.kid, use: 'sig', alg: 'ES256' } as never] },
    cookies: { keys: [randomUUID()] },
    rotateRefreshToken: true,
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: {
      Grant: 3_600,
      AuthorizationCode: 60,
      RefreshToken: 3_600,
      AccessToken: 600,
      ClientCredentials: 600,
      IdToken: 600,
    },
  });
}

async function issueCode(provider: Provider): Promise<string> {
  const grant = new provider.Grant({ accountId: 'alice', clientId: 'app' });
  grant.addOIDCScope(SCOPE);
  const grantId = await grant.save();
  const code = new provider.AuthorizationCode({
    accountId: 'alice',
    client: await provider.Client.find('app'),
    grantId,
    scope: SCOPE,
    redirectUri: REDIRECT_URI,
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    codeChallengeMethod: 'S256',
  } as never);
  return code.save();
}
