import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Algorithm } from '../jws/algorithms.ts';
import { isOpaque, isSignedBy, parseCompactJws } from '../jws/compact-jws.ts';
import { ForeignTokenError, InvalidTokenError } from '../jws/errors.ts';
import type { JsonObject } from '../jws/json-object.ts';
import { readHeader } from '../jws/token-header.ts';
import type { Jwks } from '../keys/jwks.ts';
import type { VerificationKey } from '../keys/verification-keys.ts';
import { readStatusReference } from '../status/status-claim.ts';
import type { TokenStatusList } from '../status/token-status-list.ts';
import { quotedStringPattern } from './challenge.ts';
import { type AccessToken, readClaims } from './token-claims.ts';

/** Options of a token verifier: issuer, audience and keys. */
export interface TokenVerifierOptions {
  /** Issuer whose tokens are accepted, exactly as in `iss`. */
  issuer: string;
  /** Identifier of this resource server, or several; `aud` must contain one of them. */
  audience: string | readonly string[];
  jwks: Jwks;
  /** Statuses of the issuer's tokens. Default: a revoked token is accepted until it expires. */
  statusList?: Pick<TokenStatusList, 'check'> | undefined;
  /** Accepted signature algorithms; `jwks` must import keys for them. Default: ES256. */
  algorithms?: readonly Algorithm[];
  now?: () => Date;
  /** Tolerated difference between the clocks of issuer and resource server. Default: 5. */
  toleranceSeconds?: number;
  /** Maximum number of cached tokens. Default: 10,000. */
  cacheSize?: number;
}

/** Verifies access tokens (RFC 9068 §4). */
export interface TokenVerifier {
  /**
   * @throws {InvalidTokenError} when the token is invalid
   * @throws {KeysUnavailableError} when the issuer's keys are not available
   */
  verify(token: string): Promise<AccessToken>;
}

/** A cached verification, valid until the token expires or its key leaves the set. */
interface CachedVerification {
  accessToken: AccessToken;
  kid: string;
  key: VerificationKey;
}

/**
 * Verifies JWT access tokens (RFC 9068 §4) and caches valid ones. Cache keys are digests, so that a memory dump
 * contains no token. A token with invalid claims is rejected without a fetch. Only the holder of a token with the
 * issuer's signature learns which claim is invalid. No token triggers a request to any other server.
 *
 * @throws {TypeError} when the issuer cannot appear in a challenge, which includes it
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, jwks, statusList, algorithms = ['ES256'], now = () => new Date() } = options;
  const { toleranceSeconds = 5, cacheSize = 10_000 } = options;
  if (!quotedStringPattern.test(issuer))
    throw new TypeError(`A challenge cannot contain ${JSON.stringify(issuer)}.`);
  const audiences = [audience].flat();
  const verified = new LRUCache<string, CachedVerification>({ max: cacheSize });

  function findCached(digest: string): CachedVerification | undefined {
    const cached = verified.get(digest);
    if (cached === undefined) return undefined;
    const isAlive = now().getTime() / 1000 < cached.accessToken.expiresAtSeconds + toleranceSeconds;
    if (isAlive && jwks.currentKey(cached.kid) === cached.key) return cached;
    verified.delete(digest);
    return undefined;
  }

  /** Returns the token, or the error that rejects its claims. */
  function validateClaims(claims: JsonObject): ReturnType<typeof readClaims> | InvalidTokenError {
    try {
      return readClaims(claims, { issuer, audiences, nowSeconds: now().getTime() / 1000, toleranceSeconds });
    } catch (err) {
      if (err instanceof InvalidTokenError) return err;
      throw err;
    }
  }

  async function check(token: string, digest: string): Promise<CachedVerification> {
    const jws = parseCompactJws(token);
    if (jws === undefined && isOpaque(token)) throw new ForeignTokenError('This token is not for this API');
    if (jws === undefined) throw new InvalidTokenError('The access token is malformed.');
    const { alg, kid } = readHeader(jws.header, algorithms);
    const claimsResult = validateClaims(jws.payload);
    const isRejected = claimsResult instanceof InvalidTokenError;
    const key = isRejected ? jwks.currentKey(kid) : await jwks.findKey(kid);
    const publicKey = key?.byAlgorithm.get(alg);
    if (key === undefined || publicKey === undefined)
      throw new ForeignTokenError(`This token is signed by no known key of ${issuer}`);
    if (!(await isSignedBy(token, alg, publicKey)))
      throw new InvalidTokenError('The signature of the access token is wrong.');
    if (isRejected) throw claimsResult;
    const status = statusList && readStatusReference(jws.payload);
    const verification = { accessToken: Object.freeze({ ...claimsResult, status }), kid, key };
    verified.set(digest, verification);
    return verification;
  }

  return {
    async verify(token) {
      const digest = hash('sha256', token, 'base64url');
      const { accessToken } = findCached(digest) ?? (await check(token, digest));
      // Last, because the status of an invalid token means nothing (Token Status List §8.3).
      if (accessToken.status) await statusList?.check(accessToken.status);
      return accessToken;
    },
  };
}
