import type { webcrypto } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, importJWK, type KeyObject } from 'jose';
import { type Algorithm, keyTypes } from '../jws/algorithms.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';

/** A public key of the issuer, imported for each algorithm it supports. */
export interface VerificationKey {
  readonly byAlgorithm: ReadonlyMap<Algorithm, CryptoKey | KeyObject>;
  /** Equal for equal key material and algorithms. */
  readonly fingerprint: string;
}

/** Keys by key id. */
export type VerificationKeys = ReadonlyMap<string, VerificationKey>;

const MIN_RSA_BITS = 2048;

/**
 * Imports the keys of a JWK set that support one of the algorithms. Other keys are ignored (RFC 7517 §5), as are
 * private members. An unchanged key is the same object as in `previous`.
 *
 * @throws {Error} when the document is not a JWK set
 */
export async function importKeys(
  document: unknown,
  algorithms: readonly Algorithm[],
  previous: VerificationKeys,
): Promise<VerificationKeys> {
  if (!isJsonObject(document) || !Array.isArray(document.keys))
    throw new Error('The response is not a JWK set.');
  const keys = new Map<string, VerificationKey>();
  for (const jwk of document.keys) {
    if (!isJsonObject(jwk) || typeof jwk.kid !== 'string' || jwk.kid === '') continue;
    const key = await importKey(jwk, algorithms, previous.get(jwk.kid));
    if (key !== undefined) keys.set(jwk.kid, key);
  }
  return keys;
}

async function importKey(
  jwk: JsonObject,
  allowed: readonly Algorithm[],
  previous: VerificationKey | undefined,
): Promise<VerificationKey | undefined> {
  const algorithms = allowed.filter((algorithm) => isKeyFor(jwk, algorithm));
  const [first] = algorithms;
  const thumbprint = first && (await computeThumbprint(publicMaterial(jwk, first)));
  if (thumbprint === undefined) return undefined;
  const fingerprint = `${algorithms} ${thumbprint}`;
  if (previous?.fingerprint === fingerprint) return previous;
  const byAlgorithm = new Map<Algorithm, CryptoKey>();
  for (const algorithm of algorithms) {
    const key = await toPublicKey(publicMaterial(jwk, algorithm), algorithm);
    if (key !== undefined) byAlgorithm.set(algorithm, key);
  }
  return byAlgorithm.size > 0 ? { byAlgorithm, fingerprint } : undefined;
}

/** Whether a JWK has the type of the algorithm and its `alg`, `use` and `key_ops` allow it (RFC 7517 §4). */
export function isKeyFor(jwk: JsonObject, algorithm: Algorithm): boolean {
  const { kty, crv } = keyTypes[algorithm];
  return (
    jwk.kty === kty &&
    jwk.crv === crv &&
    (jwk.alg === undefined || jwk.alg === algorithm) &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
  );
}

/** Selects the public members of a JWK. */
export function publicMaterial(jwk: JsonObject, algorithm: Algorithm): JsonObject {
  const { publicMembers } = keyTypes[algorithm];
  return Object.fromEntries(publicMembers.map((name) => [name, jwk[name]]));
}

/** Computes the SHA-256 JWK thumbprint (RFC 7638 §3); `undefined` when a member is missing or not a string. */
export async function computeThumbprint(material: JsonObject): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(material);
  } catch {
    return undefined;
  }
}

/** Imports a public key; `undefined` when invalid, or an RSA key of less than 2048 bits (RFC 7518 §3.3). */
export async function toPublicKey(
  material: JsonObject,
  algorithm: Algorithm,
): Promise<CryptoKey | undefined> {
  try {
    const key = await importJWK(material, algorithm);
    if (key instanceof Uint8Array) return undefined;
    const { modulusLength = MIN_RSA_BITS } = key.algorithm as Partial<webcrypto.RsaHashedKeyAlgorithm>;
    return modulusLength < MIN_RSA_BITS ? undefined : key;
  } catch {
    return undefined; // the point is not on the curve
  }
}
