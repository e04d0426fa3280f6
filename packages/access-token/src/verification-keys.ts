import type { webcrypto } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, importJWK, type KeyObject } from 'jose';
import { type Algorithm, keyTypes } from './algorithms.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** A public key of the issuer, imported for each algorithm that it may be used with. */
export interface VerificationKey {
  readonly byAlgorithm: ReadonlyMap<Algorithm, CryptoKey | KeyObject>;
  /** Equal for equal key material and use. */
  readonly fingerprint: string;
}

/** Key id → key. */
export type VerificationKeys = ReadonlyMap<string, VerificationKey>;

const MIN_RSA_BITS = 2048;

/**
 * The keys of a JWK set that can check a signature by one of the algorithms. Others are passed over (RFC 7517 §5),
 * and of a key pair only the public half is taken. A key that did not change is the same object as in `previous`.
 *
 * @throws {Error} when the document is no JWK set
 */
export async function importKeys(
  document: unknown,
  algorithms: readonly Algorithm[],
  previous: VerificationKeys,
): Promise<VerificationKeys> {
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new Error('The answer is no JWK set.');
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
  const thumbprint = first && (await thumbprintOf(publicMaterial(jwk, first)));
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

/** Whether a JWK is of the kind that the algorithm takes, and says nothing against this use (RFC 7517 §4). */
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

/** The members that make the public key, and no other. */
export function publicMaterial(jwk: JsonObject, algorithm: Algorithm): JsonObject {
  const { publicMembers } = keyTypes[algorithm];
  return Object.fromEntries(publicMembers.map((name) => [name, jwk[name]]));
}

/** The JWK thumbprint by SHA-256 (RFC 7638 §3); `undefined` when a member is missing or not a string. */
export async function thumbprintOf(material: JsonObject): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(material);
  } catch {
    return undefined;
  }
}

/** The key of this material; `undefined` when it is not one, or an RSA key of less than 2048 bits (RFC 7518 §3.3). */
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
    return undefined; // not a point of the curve
  }
}
