import {
  type Client,
  type Configuration,
  errors,
  type JsonValue,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { isFapi, isFapiSigned } from './fapi.ts';
import { jsonFaultOf } from './read-jwt.ts';

type Members = Readonly<Record<string, JsonValue>>;
type Features = NonNullable<Configuration['features']>;

const MAX_LIFE_SECONDS = 3_600;
const CLOCK_TOLERANCE_SECONDS = 15;

/**
 * How clients may send authorization requests other than in the clear through a browser: pushed beforehand (RFC 9126),
 * as a signed request object by value (RFC 9101), or both. The library has no request objects by reference.
 */
export function createAuthorizationRequests({ clock }: { clock: () => number }) {
  return {
    pushedAuthorizationRequests: { enabled: true },
    requestObjects: {
      enabled: true,
      assertJwtClaimsAndHeader(ctx: KoaContextWithOIDC, claims: Members, header: Members, client: Client) {
        // What was pushed was judged when it came, and is kept by the library as a JWT of its own.
        if (ctx.oidc.entities.PushedAuthorizationRequest) return;
        const jsonFault = jsonFaultOf(ctx.oidc.params?.request);
        if (jsonFault) throw new errors.InvalidRequestObject(`the Request Object ${jsonFault}`);
        const fault = faultOf(claims, header, { client, now: clock() / 1000 });
        if (fault) throw new errors.InvalidRequestObject(fault);
      },
    },
  } satisfies Features;
}

/** What is wrong with a request object beyond what the library looks at: signature, issuer, audience and expiry. */
function faultOf(
  { exp, nbf, iat, sub, resource }: Members,
  header: Members,
  { client, now }: { client: Client; now: number },
): string | undefined {
  const from = nbf ?? (isFapi(client) ? undefined : iat);
  if (typeof exp !== 'number' || typeof from !== 'number')
    return 'the Request Object does not say from when to when it is good';
  if (exp <= from || exp - from > MAX_LIFE_SECONDS) return 'the Request Object is good for more than an hour';
  if (from > now + CLOCK_TOLERANCE_SECONDS) return 'the Request Object is not good yet';
  // RFC 9101 §10.8: it could be taken for a client assertion, which the same key signs.
  if (sub === client.clientId) return 'the Request Object has the client for its subject';
  // The library takes it for no resource at all, and asks nobody which scopes the client may have.
  if (Array.isArray(resource) && resource.length === 0)
    return 'the Request Object has no resource in its list';
  if (isFapi(client) && !isFapiSigned(header))
    return 'the Request Object is signed by another alg than FAPI has';
  return undefined;
}
