import {
  createTokenVerifier,
  InvalidTokenError,
  type Jwks,
  type VerificationKey,
} from '@keydesk/access-token';
import type { SigningKey } from '../keys/signing-key.ts';
import type { ArtifactStore, StoredArtifact } from './artifact-store.ts';

/** The claims of an access token (RFC 9068 §2.2). */
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
  /** Digest of the grant's id, in tokens issued for a person. */
  grant_id?: string;
  /** Granted scopes of OpenID Connect, for the userinfo endpoint. */
  openid_scope?: string;
  /** The key that the token is bound to (RFC 9449 §6.1). */
  cnf?: { jkt?: string };
}

/** A live access token of this server, with the grant that it was issued under, if it was issued for a person. */
export interface IssuedAccessToken {
  claims: IssuedClaims;
  grant: StoredArtifact | undefined;
}

export interface IssuedAccessTokensOptions {
  issuer: string;
  apiAudience: string;
  keys: () => readonly Pick<SigningKey, 'kid' | 'algorithm' | 'publicKey'>[];
  artifacts: Pick<ArtifactStore, 'find'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** `undefined` for anything but a live token whose grant, if it has one, is not revoked. */
export type FindIssuedAccessToken = (jwt: string) => Promise<IssuedAccessToken | undefined>;

/** Finds this server's own access tokens for the API, by the same verifier as the API: they are not stored. */
export function createIssuedAccessTokenFinder(options: IssuedAccessTokensOptions): FindIssuedAccessToken {
  const { issuer, apiAudience: audience, artifacts, clock } = options;
  const verifier = createTokenVerifier({ issuer, audience, jwks: createOwnJwks(options.keys), clock });

  return async (jwt) => {
    const token = await verifier.verify(jwt).catch(absentIfInvalid);
    // The verifier tolerates clocks that differ, but here it is the issuer's own clock.
    if (!token || token.expiresAtSeconds <= clock() / 1000) return undefined;
    // A signed token has the shape that this server gave it.
    const claims = token.claims as unknown as IssuedClaims;
    if (claims.grant_id === undefined) return { claims, grant: undefined };
    const grant = await artifacts.find('Grant', claims.grant_id, new Date(clock()));
    return grant && { claims, grant };
  };
}

function absentIfInvalid(err: unknown): undefined {
  if (!(err instanceof InvalidTokenError)) throw err;
}

/** This server's own key set, which is never fetched. */
function createOwnJwks(keys: IssuedAccessTokensOptions['keys']): Jwks {
  // The verifier remembers tokens by the identity of their key.
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
