import { hash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Algorithm } from '../algorithms.ts';
import { isSignedBy, parseCompactJws } from '../compact-jws.ts';
import { InvalidProofError, InvalidTokenError, UnavailableError } from '../errors.ts';
import type { JsonObject } from '../json-object.ts';
import { publicMaterial, thumbprintOf, toPublicKey } from '../verification-keys.ts';
import { readProofClaims } from './proof-claims.ts';
import { readProofHeader } from './proof-header.ts';
import { createTargetUris } from './target-uri.ts';

/** Remembers what was used. */
export interface ReplayGuard {
  /**
   * True for the first use of a key and false for every other within `ttlSeconds`: of all who ask at once, exactly
   * one is first. It must not keep a request waiting, and rejects when it cannot tell.
   */
  firstUse(key: string, ttlSeconds: number): Promise<boolean>;
}

/** What proofs are checked against. */
export interface ProofVerifierOptions {
  /** Under which URL clients know this resource server; the path of a request is added to it. */
  baseUrl: string;
  replayGuard: ReplayGuard;
  /** Default: `proofAlgorithms`. */
  algorithms?: readonly Algorithm[];
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** How long after it was made a proof is accepted. Default: 60. */
  maxAgeSeconds?: number;
  /** How far the clock of a client may be ahead. Default: 10, which FAPI 2.0 (§5.3.2.1 no. 13) asks of its servers. */
  toleranceSeconds?: number;
}

/** A request whose sender shall prove to hold the key of its token. */
export interface RequestToProve {
  /** The value of the `DPoP` header. */
  proof: string;
  method: string;
  /** As sent (RFC 9112 §3.2). */
  requestTarget: string;
  accessToken: string;
  /** The key that the token is bound to, `cnf.jkt` (RFC 9449 §6.1). */
  thumbprint: string;
}

/** Checks DPoP proofs (RFC 9449 §4.3). */
export interface ProofVerifier {
  readonly algorithms: readonly Algorithm[];
  /**
   * @throws {InvalidProofError} when the proof is not good for this request
   * @throws {InvalidTokenError} when the token is bound to another key than the proof is signed with
   * @throws {UnavailableError} when the replay guard cannot tell whether the proof was used before
   */
  verify(request: RequestToProve): Promise<void>;
}

/**
 * What proofs are signed with unless a resource server says otherwise: ES256, which secure hardware and browsers sign
 * with, and Ed25519 under both of its names. RSA proofs are three times as long and bring nothing that a key made for
 * the purpose needs.
 */
export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const satisfies readonly Algorithm[];

const KEYS_REMEMBERED = 10_000;

/**
 * Checks DPoP proofs (RFC 9449 §4.3). A key costs no signature check before the token has vouched for it, and only a
 * proof that is good in every other way is remembered: nobody can use up the proofs of others, or fill the guard,
 * without a token. No nonce is asked for, which §9 leaves to the resource server: it would limit proofs that were
 * made in advance (§11.2), but these die with a token of minutes, and it costs a second round trip.
 *
 * @throws {TypeError} when the base is no http(s) URL
 */
export function createProofVerifier(options: ProofVerifierOptions): ProofVerifier {
  const { replayGuard, algorithms = proofAlgorithms, clock = Date.now } = options;
  const { maxAgeSeconds = 60, toleranceSeconds = 10 } = options;
  const toTargetUri = createTargetUris(options.baseUrl);
  // A key signs many proofs, and its import and thumbprint cost half as much as a signature check.
  const keys = new LRUCache<string, { thumbprint: string; key: CryptoKey }>({ max: KEYS_REMEMBERED });
  // From as early as a proof is accepted to as late, on servers whose clocks are that far apart.
  const rememberSeconds = maxAgeSeconds + 2 * toleranceSeconds;

  /** Imports the key of a proof, which must be the one that the access token is bound to (RFC 9449 §6.1). */
  async function requireBoundKey(jwk: JsonObject, alg: Algorithm, thumbprint: string): Promise<CryptoKey> {
    const material = publicMaterial(jwk, alg);
    const spelling = JSON.stringify([alg, material]);
    const known = keys.get(spelling);
    const actual = known?.thumbprint ?? (await thumbprintOf(material));
    if (actual !== undefined && actual !== thumbprint)
      throw new InvalidTokenError(
        'The access token is bound to another key than the DPoP proof is signed with.',
      );
    const key = known?.key ?? (actual && (await toPublicKey(material, alg)));
    if (!key) throw new InvalidProofError('The DPoP proof has no usable public key.');
    keys.set(spelling, { thumbprint, key });
    return key;
  }

  /** RFC 9449 §11.1: stored is a hash, however long the `jti`. */
  async function isFirstUse(thumbprint: string, jti: string): Promise<boolean> {
    try {
      return await replayGuard.firstUse(hash('sha256', `${thumbprint}.${jti}`, 'base64url'), rememberSeconds);
    } catch (cause) {
      throw new UnavailableError('Whether a DPoP proof was used before cannot be told.', 1, { cause });
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
        nowSeconds: clock() / 1000,
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
