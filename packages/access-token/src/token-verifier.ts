import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Algorithm, isSignedBy } from './algorithms.ts';
import { parseCompactJws } from './compact-jws.ts';
import { InvalidTokenError } from './errors.ts';
import type { Jwks } from './jwks.ts';
import { type AccessToken, readClaims } from './token-claims.ts';
import { readHeader } from './token-header.ts';
import type { VerificationKey } from './verification-keys.ts';

/** Whose tokens are good, for whom, by which keys. */
export interface TokenVerifierOptions {
  /** The one issuer whose tokens are accepted, spelled exactly as in `iss`. */
  issuer: string;
  /** The identifier of this resource server, which `aud` must contain. */
  audience: string;
  jwks: Jwks;
  /** Default: ES256. The key set must take keys for them too. */
  algorithms?: readonly Algorithm[];
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** How far the clocks of issuer and resource server may be apart. Default: 5. */
  toleranceSeconds?: number;
  /** How many verified tokens are remembered. Default: 10,000. */
  cacheSize?: number;
}

/** Verifies access tokens (RFC 9068 §4). */
export interface TokenVerifier {
  /**
   * @throws {InvalidTokenError} when the token is not good
   * @throws {KeysUnavailableError} when that cannot be told for want of the issuer's keys
   */
  verify(token: string): Promise<AccessToken>;
}

/** A verification that can be repeated for nothing as long as the token lives and its key is in the set. */
interface Verified {
  accessToken: AccessToken;
  kid: string;
  key: VerificationKey;
}

/**
 * Verifies JWT access tokens (RFC 9068 §4) and remembers those that were good, by digest, for no memory dump shall
 * hold a token. The claims are checked before the key is asked for: a token that has expired or is not meant for
 * us is refused without a fetch, whoever signed it. Nothing in a token causes a request to anywhere else.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, jwks, algorithms = ['ES256'], clock = Date.now } = options;
  const { toleranceSeconds = 5, cacheSize = 10_000 } = options;
  const verified = new LRUCache<string, Verified>({ max: cacheSize });

  function recall(digest: string): AccessToken | undefined {
    const known = verified.get(digest);
    if (known === undefined) return undefined;
    const isAlive = clock() / 1000 < known.accessToken.expiresAtSeconds + toleranceSeconds;
    if (isAlive && jwks.currentKey(known.kid) === known.key) return known.accessToken;
    verified.delete(digest);
    return undefined;
  }

  async function check(token: string, digest: string): Promise<AccessToken> {
    const jws = parseCompactJws(token);
    if (jws === undefined) throw new InvalidTokenError('The access token is malformed.');
    const { alg, kid } = readHeader(jws.header, algorithms);
    const nowSeconds = clock() / 1000;
    const accessToken = readClaims(jws.payload, { issuer, audience, nowSeconds, toleranceSeconds });
    const key = await jwks.findKey(kid);
    if (!key?.algorithms.includes(alg))
      throw new InvalidTokenError('The access token is signed by an unknown key.');
    if (!isSignedBy(key.key, alg, jws.signingInput, jws.signature))
      throw new InvalidTokenError('The signature of the access token is wrong.');
    verified.set(digest, { accessToken, kid, key });
    return accessToken;
  }

  return {
    async verify(token) {
      const digest = hash('sha256', token, 'base64url');
      return recall(digest) ?? check(token, digest);
    },
  };
}
