import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { idTokenAlgorithms } from '../../clients/client.ts';
import { createSealer, deriveKey } from '../../keys/sealing.ts';
import { createSigningKey, type KeyAlgorithm, openSigningKey } from '../../keys/signing-key.ts';
import { toProviderKey } from '../hot-provider.ts';

const ISSUER = 'https://auth.example';
const REDIRECT_URI = 'https://app.example/callback';
const sealer = createSealer(deriveKey('a-master-secret-of-some-length-0', 'tests'));

async function createKey(algorithm: KeyAlgorithm) {
  const now = new Date();
  return openSigningKey(await createSigningKey({ algorithm, activeFrom: now }, { sealer, now }), sealer);
}

/** Starts oidc-provider with our keys and one client per algorithm, which is also its id. */
async function startProvider() {
  const keys = await Promise.all([createKey('ES256'), createKey('RS256')]);
  const provider = new Provider(ISSUER, {
    jwks: { keys: keys.map(toProviderKey) },
    enabledJWA: { idTokenSigningAlgValues: [...idTokenAlgorithms] },
    clients: idTokenAlgorithms.map((alg) => ({
      client_id: alg,
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: alg,
    })),
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => false },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    },
    ttl: { Grant: 60, AuthorizationCode: 60, AccessToken: 60, IdToken: 60 },
  });
  const server = createServer(provider.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  return { provider, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function fetchIdToken({ provider, url }: Awaited<ReturnType<typeof startProvider>>, clientId: string) {
  const grant = new provider.Grant({ accountId: 'alice', clientId });
  grant.addOIDCScope('openid');
  const code = new provider.AuthorizationCode({
    accountId: 'alice',
    client: await provider.Client.find(clientId),
    grantId: await grant.save(),
    scope: 'openid',
    redirectUri: REDIRECT_URI,
  } as never);
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: REDIRECT_URI };
  const body = new URLSearchParams({ ...form, code: await code.save() });
  const response = await fetch(`${url}/token`, { method: 'POST', body });
  return ((await response.json()) as { id_token: string }).id_token;
}

describe('the signature of an ID token (OpenID Connect Registration §2, Core §15.1)', () => {
  it('uses the algorithm that the client registered and verifies with the published keys', async () => {
    const started = await startProvider();
    const keySet = createRemoteJWKSet(new URL(`${started.url}/jwks`));
    for (const alg of idTokenAlgorithms) {
      const verified = await jwtVerify(await fetchIdToken(started, alg), keySet, {
        issuer: ISSUER,
        audience: alg,
        algorithms: [alg],
      });
      expect(verified.payload.sub).toBe('alice');
    }
  });
});
