import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';

// The yardstick of the token endpoint: oidc-provider as it comes, with its in-memory adapter, issuing the same kind of
// token with the same algorithm. Prints its port.
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
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
  ],
  scopes: ['tickets:read'],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => 'http://127.0.0.1/api',
      getResourceServerInfo: async () => ({
        scope: 'tickets:read',
        audience: 'http://127.0.0.1/api',
        accessTokenTTL: 600,
        accessTokenFormat: 'jwt' as const,
        jwt: { sign: { alg: 'ES256' as const } },
      }),
    },
  },
});
const server = provider.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.on('SIGTERM', () => process.exit(0));
