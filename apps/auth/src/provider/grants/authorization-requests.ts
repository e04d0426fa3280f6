import {
  type Client,
  type Configuration,
  errors,
  type JsonValue,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { isPkceOptional } from '../clients/client-metadata.ts';
import type { ConformanceConfig } from '../conformance-profile.ts';
import { hasFapiAlgorithm, isFapi } from '../tokens/fapi.ts';
import { findJsonFault } from '../tokens/read-jwt.ts';

type Members = Readonly<Record<string, JsonValue>>;
type Features = NonNullable<Configuration['features']>;

const MAX_LIFE_SECONDS = 3_600;
const CLOCK_TOLERANCE_SECONDS = 15;

/**
 * Enables pushed authorization requests (RFC 9126) and signed request objects by value (RFC 9101). oidc-provider does
 * not support request objects by reference.
 */
export function createAuthorizationRequests({ now }: { now: () => Date }) {
  return {
    pushedAuthorizationRequests: { enabled: true },
    requestObjects: {
      enabled: true,
      assertJwtClaimsAndHeader(ctx: KoaContextWithOIDC, claims: Members, header: Members, client: Client) {
        // A pushed request was validated when it arrived; oidc-provider stores it as a JWT of its own.
        if (ctx.oidc.entities.PushedAuthorizationRequest) return;
        const jsonFault = findJsonFault(ctx.oidc.params?.request);
        if (jsonFault) throw new errors.InvalidRequestObject(`the Request Object ${jsonFault}`);
        const fault = findFault(claims, header, { client, nowSeconds: now().getTime() / 1000 });
        if (fault) throw new errors.InvalidRequestObject(fault);
      },
    },
  } satisfies Features;
}

/**
 * Returns the first fault of a request object that oidc-provider does not check itself. It checks signature, issuer,
 * audience and expiry.
 */
function findFault(
  { exp, nbf, iat, sub, resource }: Members,
  header: Members,
  { client, nowSeconds }: { client: Client; nowSeconds: number },
): string | undefined {
  const from = nbf ?? (isFapi(client) ? undefined : iat);
  if (typeof exp !== 'number' || typeof from !== 'number')
    return 'the Request Object needs exp and nbf (or iat) as numbers';
  if (exp <= from || exp - from > MAX_LIFE_SECONDS)
    return 'the Request Object must expire within an hour of its nbf or iat';
  if (from > nowSeconds + CLOCK_TOLERANCE_SECONDS) return 'the Request Object is not valid yet';
  // RFC 9101 §10.8: it could be mistaken for a client assertion, which the same key signs.
  if (sub === client.clientId) return 'the Request Object must not have the client as its subject';
  // oidc-provider treats an empty list as no resource and would not check the client's scopes.
  if (Array.isArray(resource) && resource.length === 0)
    return 'the Request Object has an empty resource list';
  if (isFapi(client) && !hasFapiAlgorithm(header))
    return 'the Request Object must be signed with an alg that FAPI 2.0 allows';
  return undefined;
}

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
