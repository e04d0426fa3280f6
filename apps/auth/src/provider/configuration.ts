import { type AdapterFactory, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { assertionAlgorithms } from '../clients/client-keys.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { apiScopes } from '../scopes.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import { ownMetadata, roleOf } from './client-metadata.ts';
import { idTokenAlgorithms, toProviderKey } from './provider-key.ts';

export interface ConfigurationOptions {
  adapter: AdapterFactory;
  authentication: ClientAuthentication;
  keys: readonly SigningKey[];
  /** The resource indicator (RFC 8707) of the API, which is also the audience of its tokens. */
  apiAudience: string;
  accessTokenTtlSeconds: number;
}

const off = { enabled: false };

/** What of oidc-provider is used, and how. Whatever it has on by default and Keydesk does not offer yet is off. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  return {
    adapter: options.adapter,
    jwks: { keys: options.keys.map(toProviderKey) },
    scopes: apiScopes,
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: {
      clientAuthSigningAlgValues: [...assertionAlgorithms],
      idTokenSigningAlgValues: [...idTokenAlgorithms],
    },
    clientDefaults: {
      grant_types: ['client_credentials'],
      response_types: [],
    },
    extraClientMetadata: { properties: Object.values(ownMetadata) },
    assertJwtClientAuthClaimsAndHeader: (ctx, claims, _header, client) =>
      options.authentication.assertAssertion(ctx, claims, client),
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: createResourceIndicators(options),
      // `ack` accepts the experiment as it is in the version that package.json pins.
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      rpInitiatedLogout: off,
      userinfo: off,
    },
    // A machine client acts in its own role; without one the API lets it do nothing.
    extraTokenClaims: (_ctx, token) => {
      const role = token.client && roleOf(token.client);
      return role ? { role } : undefined;
    },
    ttl: { ClientCredentials: options.accessTokenTtlSeconds },
    findAccount: () => undefined,
    // No page of another origin may hold a client secret.
    clientBasedCORS: () => false,
    renderError: (ctx, out) => {
      ctx.body = out;
    },
  };
}

function createResourceIndicators({ apiAudience, accessTokenTtlSeconds }: ConfigurationOptions) {
  return {
    enabled: true,
    defaultResource: () => apiAudience,
    useGrantedResource: () => true,
    getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string) {
      if (resource !== apiAudience) throw new errors.InvalidTarget();
      return {
        scope: grantScope(ctx),
        audience: apiAudience,
        accessTokenFormat: 'jwt' as const,
        accessTokenTTL: accessTokenTtlSeconds,
        jwt: { sign: { alg: 'ES256' as const } },
      };
    },
  };
}

/**
 * The scopes that the client may have; without a `scope` parameter it gets them all (RFC 6749 §3.3). The library
 * itself would ignore scopes that it does not know, and refuse none to a client that is registered without any.
 */
function grantScope({ oidc }: KoaContextWithOIDC): string {
  const registered = oidc.client?.scope ?? '';
  if (oidc.params) oidc.params.scope ??= registered || undefined;
  const allowed = registered.split(' ');
  const refused = [...oidc.requestParamScopes].find((scope) => !allowed.includes(scope));
  if (refused) throw new errors.InvalidScope('requested scope is not allowed', refused);
  return registered;
}
