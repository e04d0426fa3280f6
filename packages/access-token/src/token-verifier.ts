import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Algorithm } from './algorithms.ts';
import { quotable } from './challenge.ts';
import { isOpaque, isSignedBy, parseCompactJws } from './compact-jws.ts';
import { ForeignTokenError, InvalidTokenError } from './errors.ts';
import type { JsonObject } from './json-object.ts';
import type { Jwks } from './jwks.ts';
import { type AccessToken, readClaims } from './token-claims.ts';
import { readHeader } from './token-header.ts';
import type { VerificationKey } from './verification-keys.ts';

/** Whose tokens are good, for whom, by which keys. */
export interface TokenVerifierOptions {
  /** The one issuer whose tokens are accepted, spelled exactly as in `iss`. */
  issuer: string;
  /** The identifier of this resource server, or each spelling of it; `aud` must contain one. */
  audience: string | readonly string[];
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
 * hold a token. A token with bad claims is refused without a fetch, and only the holder of a token that the issuer
 * signed learns which claim is bad. Nothing in a token causes a request to anywhere else.
 *
 * @throws {TypeError} when the issuer cannot stand in a challenge, which names it
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, jwks, algorithms = ['ES256'], clock = Date.now } = options;
  const { toleranceSeconds = 5, cacheSize = 10_000 } = options;
  if (!quotable.test(issuer)) throw new TypeError(`A challenge cannot carry ${JSON.stringify(issuer)}.`);
  const audiences = [audience].flat();
  const verified = new LRUCache<string, Verified>({ max: cacheSize });

  function recall(digest: string): AccessToken | undefined {
    const known = verified.get(digest);
    if (known === undefined) return undefined;
    const isAlive = clock() / 1000 < known.accessToken.expiresAtSeconds + toleranceSeconds;
    if (isAlive && jwks.currentKey(known.kid) === known.key) return known.accessToken;
    verified.delete(digest);
    return undefined;
  }

  /** The token, or why its claims are refused. */
  function judgeClaims(claims: JsonObject): AccessToken | InvalidTokenError {
    try {
      return readClaims(claims, { issuer, audiences, nowSeconds: clock() / 1000, toleranceSeconds });
    } catch (err) {
      if (err instanceof InvalidTokenError) return err;
      throw err;
    }
  }

  async function check(token: string, digest: string): Promise<AccessToken> {
    const jws = parseCompactJws(token);
    if (jws === undefined && isOpaque(token)) throw new ForeignTokenError('This token is not for this API');
    if (jws === undefined) throw new InvalidTokenError('The access token is malformed.');
    const { alg, kid } = readHeader(jws.header, algorithms);
    const verdict = judgeClaims(jws.payload);
    const isRefused = verdict instanceof InvalidTokenError;
    const key = isRefused ? jwks.currentKey(kid) : await jwks.findKey(kid);
    const publicKey = key?.byAlgorithm.get(alg);
    if (key === undefined || publicKey === undefined)
      throw new ForeignTokenError(`This token is signed by no known key of ${issuer}`);
    if (!(await isSignedBy(token, alg, publicKey)))
      throw new InvalidTokenError('The signature of the access token is wrong.');
    if (isRefused) throw verdict;
    verified.set(digest, { accessToken: verdict, kid, key });
    return verdict;
  }

  return {
    async verify(token) {
      const digest = hash('sha256', token, 'base64url');
      return recall(digest) ?? check(token, digest);
    },
  };
}
