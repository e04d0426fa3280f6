import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { isPkceOptional } from '../clients/client-metadata.ts';
import type { ConformanceConfig } from '../conformance-profile.ts';
import { isFapi } from '../tokens/fapi.ts';

/**
 * Requires PKCE in every authorization request (RFC 9700 §2.1.1) with S256, the only method of oidc-provider. Single
 * confidential clients and the conformance profile can be exempt; public and FAPI clients never are.
 */
export function createPkcePolicy({ isConformanceProfile }: Pick<ConformanceConfig, 'isConformanceProfile'>) {
  return {
    /** @throws {errors.InvalidRequest} when an exempt client sends no nonce either (OAuth 2.1 §7.5.1) */
    required({ oidc }: KoaContextWithOIDC, client: Client): boolean {
      if (client.clientAuthMethod === 'none' || isFapi(client)) return true;
      if (isConformanceProfile) return false;
      if (!isPkceOptional(client)) return true;
      if (!oidc.params?.nonce)
        throw new errors.InvalidRequest('code_challenge and nonce are missing; send at least one of them');
      return false;
    },
  };
}
