import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { grantApiScopes, requestsApi } from './scope-policy.ts';

export interface ResourceIndicatorsOptions {
  /** Resource indicator (RFC 8707) of the API, also the audience of its tokens. */
  apiAudience: string;
}

/**
 * Issues JWTs (RFC 9068) for the API, which the userinfo endpoint accepts as well. If no API scope was requested, the
 * token is opaque and for the userinfo endpoint only.
 */
export function createResourceIndicators({ apiAudience }: ResourceIndicatorsOptions) {
  return {
    enabled: true,
    defaultResource(ctx: KoaContextWithOIDC): string | undefined {
      if (requestsApi(ctx)) return apiAudience;
      grantApiScopes(ctx);
      return undefined;
    },
    useGrantedResource: () => true,
    getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string) {
      if (resource !== apiAudience) throw new errors.InvalidTarget();
      return {
        scope: grantApiScopes(ctx).join(' '),
        audience: apiAudience,
        accessTokenFormat: 'jwt' as const,
        jwt: { sign: { alg: 'ES256' as const } },
      };
    },
  };
}
