import { hash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Algorithm } from '../jws/algorithms.ts';
import { isSignedBy, parseCompactJws } from '../jws/compact-jws.ts';
import { InvalidProofError, InvalidTokenError, UnavailableError } from '../jws/errors.ts';
import type { JsonObject } from '../jws/json-object.ts';
import { computeThumbprint, publicMaterial, toPublicKey } from '../keys/verification-keys.ts';
import { readProofClaims } from './proof-claims.ts';
import { readProofHeader } from './proof-header.ts';
import { createTargetUriBuilder } from './target-uri.ts';

/** Records used keys to detect replays. */
export interface ReplayGuard {
  /**
   * Resolves to true for the first use of a key, and to false for further uses within `ttlSeconds`. Exactly one of
   * several concurrent calls gets true. It must not delay a request, and rejects when its storage fails.
   */
  firstUse(key: string, ttlSeconds: number): Promise<boolean>;
}

/** Options of a proof verifier. */
export interface ProofVerifierOptions {
  /** Public URL of this resource server, to which the path of a request is appended. */
  baseUrl: string;
  replayGuard: ReplayGuard;
  /** Default: `proofAlgorithms`. */
  algorithms?: readonly Algorithm[];
  now?: () => Date;
  /** Maximum age of a proof. Default: 60. */
  maxAgeSeconds?: number;
  /** Tolerated lead of a client's clock. Default: 10, as FAPI 2.0 (§5.3.2.1 no. 13) requires. */
  toleranceSeconds?: number;
}

/** A request whose sender must prove possession of the token's key. */
export interface RequestToProve {
  /** The value of the `DPoP` header. */
  proof: string;
  method: string;
  /** As sent (RFC 9112 §3.2). */
  requestTarget: string;
  accessToken: string;
  /** Thumbprint of the key the token is bound to: `cnf.jkt` (RFC 9449 §6.1). */
  thumbprint: string;
}

/** Checks DPoP proofs (RFC 9449 §4.3). */
export interface ProofVerifier {
  readonly algorithms: readonly Algorithm[];
  /**
   * Resolves when the proof is valid.
   *
   * @throws {InvalidProofError} when the proof is invalid for this request
   * @throws {InvalidTokenError} when the token is bound to another key than the proof is signed with
   * @throws {UnavailableError} when the replay guard fails
   */
  verify(request: RequestToProve): Promise<void>;
}

/**
 * Default algorithms of proofs: ES256, which secure hardware and browsers support, and Ed25519 under both names.
 * RSA proofs are three times as long without a benefit for a key that serves only DPoP.
 */
export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const satisfies readonly Algorithm[];

const MAX_CACHED_KEYS = 10_000;

/**
 * Creates a verifier of DPoP proofs (RFC 9449 §4.3). The signature is checked only after the token has confirmed the
 * key, and only valid proofs are recorded. A client without a token can therefore neither use up another client's
 * proofs nor fill the replay guard.
 *
 * The verifier requests no nonce, which §9 makes optional. A nonce would limit proofs made in advance (§11.2), but
 * those become useless within minutes with the token, and each nonce costs a second round trip.
 *
 * @throws {TypeError} when the base URL is not an http(s) URL
 */
export function createProofVerifier(options: ProofVerifierOptions): ProofVerifier {
  const { replayGuard, algorithms = proofAlgorithms, now = () => new Date() } = options;
  const { maxAgeSeconds = 60, toleranceSeconds = 10 } = options;
  const toTargetUri = createTargetUriBuilder(options.baseUrl);
  // A key signs many proofs; importing it and computing its thumbprint cost half as much as a signature check.
  const keys = new LRUCache<string, { thumbprint: string; key: CryptoKey }>({ max: MAX_CACHED_KEYS });
  // Covers the whole time a proof is accepted on servers whose clocks differ by the tolerance.
  const replayTtlSeconds = maxAgeSeconds + 2 * toleranceSeconds;

  /** Imports the key of a proof after checking that the access token is bound to it (RFC 9449 §6.1). */
  async function requireBoundKey(jwk: JsonObject, alg: Algorithm, thumbprint: string): Promise<CryptoKey> {
    const material = publicMaterial(jwk, alg);
    const cacheKey = JSON.stringify([alg, material]);
    const cached = keys.get(cacheKey);
    const actual = cached?.thumbprint ?? (await computeThumbprint(material));
    if (actual !== undefined && actual !== thumbprint)
      throw new InvalidTokenError(
        'The access token is bound to another key than the DPoP proof is signed with.',
      );
    const key = cached?.key ?? (actual && (await toPublicKey(material, alg)));
    if (!key) throw new InvalidProofError('The DPoP proof has no usable public key.');
    keys.set(cacheKey, { thumbprint, key });
    return key;
  }

  /** Stores a hash, because a `jti` may be of any length (RFC 9449 §11.1). */
  async function isFirstUse(thumbprint: string, jti: string): Promise<boolean> {
    try {
      return await replayGuard.firstUse(
        hash('sha256', `${thumbprint}.${jti}`, 'base64url'),
        replayTtlSeconds,
      );
    } catch (cause) {
      throw new UnavailableError('DPoP proofs cannot be checked for replay currently.', 1, { cause });
    }
  }

  return {
    algorithms,
    async verify({ proof, method, requestTarget, accessToken, thumbprint }) {
      const jws = parseCompactJws(proof);
      if (jws === undefined) throw new InvalidProofError('The DPoP proof is malformed.');
      const { alg, jwk } = readProofHeader(jws.header, algorithms);
      const jti = readProofClaims(jws.payload, {
        method,
        targetUri: toTargetUri(requestTarget),
        accessToken,
        nowSeconds: now().getTime() / 1000,
        maxAgeSeconds,
        toleranceSeconds,
      });
      const key = await requireBoundKey(jwk, alg, thumbprint);
      if (!(await isSignedBy(proof, alg, key)))
        throw new InvalidProofError('The signature of the DPoP proof is wrong.');
      if (!(await isFirstUse(thumbprint, jti)))
        throw new InvalidProofError('The DPoP proof was used before.');
    },
  };
}
