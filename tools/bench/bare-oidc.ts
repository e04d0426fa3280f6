import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';

// Baseline of the token endpoint: plain oidc-provider with its in-memory adapter, the same kinds of tokens and the same
// algorithms. Prints its port and as many refresh tokens as its argument.
const API = 'http://127.0.0.1/api';
const familyCount = Number(process.argv[2] ?? 0);
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const provider = new Provider('http://127.0.0.1', {
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret-bench-secret-bench-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'tickets:read',
    },
    {
      client_id: 'native',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://127.0.0.1/callback'],
      response_types: ['code'],
    },
  ],
  scopes: ['openid', 'offline_access', 'tickets:read'],
  jwks: {
    keys: [
      { ...ec.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' },
      { ...rsa.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' },
    ],
  },
  rotateRefreshToken: true,
  findAccount: async (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => API,
      useGrantedResource: async () => true,
      getResourceServerInfo: async () => ({
        scope: 'tickets:read',
        audience: API,
        accessTokenTTL: 600,
        accessTokenFormat: 'jwt' as const,
        jwt: { sign: { alg: 'ES256' as const } },
      }),
    },
  },
});

/** Issues a refresh token like the one from a redeemed code. */
async function issueRefreshToken(accountId: string): Promise<string> {
  const client = await provider.Client.find('native');
  if (!client) throw new Error('no client');
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope('openid offline_access');
  grant.addResourceScope(API, 'tickets:read');
  const token = new provider.RefreshToken({
    accountId,
    client,
    grantId: await grant.save(),
    gty: 'authorization_code',
    resource: API,
    scope: 'openid offline_access tickets:read',
    authTime: Math.floor(Date.now() / 1000),
    rotations: 0,
  });
  return token.save();
}

const refreshTokens: string[] = [];
for (let n = 0; n < familyCount; n++) refreshTokens.push(await issueRefreshToken(`person${n}`));
const server = provider.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify({ ...(server.address() as object), refreshTokens }));
process.on('SIGTERM', () => process.exit(0));
