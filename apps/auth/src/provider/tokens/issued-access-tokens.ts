import {
  createTokenVerifier,
  InvalidTokenError,
  type Jwks,
  type VerificationKey,
} from '@keydesk/access-token';
import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts';
import type { SigningKey } from '../../keys/signing-key.ts';

/** Claims of an access token (RFC 9068 §2.2). */
export interface IssuedClaims {
  iss: string;
  aud: string;
  sub: string;
  client_id: string;
  exp: number;
  iat: number;
  jti: string;
  scope?: string;
  role?: string;
  /** Class, methods and time of the user's authentication (§2.2.1), in tokens issued for a user. */
  acr?: string;
  amr?: string[];
  auth_time?: number;
  /** Digest of the grant's id, in tokens issued for a user. */
  grant_id?: string;
  /** Granted OpenID Connect scopes, which the userinfo endpoint reads. */
  openid_scope?: string;
  /** Key that the token is bound to (RFC 9449 §6.1). */
  cnf?: { jkt?: string };
}

/** A live access token of this server, with its grant if it was issued for a user. */
export interface IssuedAccessToken {
  claims: IssuedClaims;
  grant: StoredArtifact | undefined;
}

export interface IssuedAccessTokensOptions {
  issuer: string;
  apiAudience: string;
  keys: () => readonly Pick<SigningKey, 'kid' | 'algorithm' | 'publicKey'>[];
  artifacts: Pick<ArtifactStore, 'find'>;
  now: () => Date;
}

/** Returns a live token whose grant, if any, is not revoked; `undefined` for anything else. */
export type FindIssuedAccessToken = (jwt: string) => Promise<IssuedAccessToken | undefined>;

/**
 * Creates the lookup of this server's own access tokens for the API. They are not stored, so the API's verifier checks
 * them.
 */
export function createIssuedAccessTokenFinder(options: IssuedAccessTokensOptions): FindIssuedAccessToken {
  const { issuer, apiAudience: audience, artifacts, now } = options;
  const verifier = createTokenVerifier({ issuer, audience, jwks: createOwnJwks(options.keys), now });

  return async (jwt) => {
    const token = await verifier.verify(jwt).catch(ignoreInvalidToken);
    // The verifier tolerates clock skew, but here it is the issuer's own clock.
    if (!token || token.expiresAtSeconds <= now().getTime() / 1000) return undefined;
    // This server signed the claims, so they have this shape.
    const claims = token.claims as unknown as IssuedClaims;
    if (claims.grant_id === undefined) return { claims, grant: undefined };
    const grant = await artifacts.find('Grant', claims.grant_id, now());
    return grant && { claims, grant };
  };
}

function ignoreInvalidToken(err: unknown): undefined {
  if (!(err instanceof InvalidTokenError)) throw err;
}

/** Creates a key set from this server's own keys, without fetching. */
function createOwnJwks(keys: IssuedAccessTokensOptions['keys']): Jwks {
  // The verifier caches tokens by the identity of their key object.
  const known = new WeakMap<object, VerificationKey>();

  function currentKey(kid: string): VerificationKey | undefined {
    const own = keys().find((each) => each.kid === kid && each.algorithm === 'ES256');
    if (!own) return undefined;
    const key = known.get(own) ?? { byAlgorithm: new Map([['ES256', own.publicKey]]), fingerprint: kid };
    known.set(own, key);
    return key;
  }
  return { currentKey, findKey: async (kid) => currentKey(kid) };
}
