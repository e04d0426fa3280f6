import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Algorithm, signatureSchemes } from './algorithms.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** A public key of the issuer, and what it may be used with. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
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
export function importKeys(
  document: unknown,
  algorithms: readonly Algorithm[],
  previous: VerificationKeys,
): VerificationKeys {
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new Error('The answer is no JWK set.');
  const keys = new Map<string, VerificationKey>();
  for (const jwk of document.keys) {
    if (!isJsonObject(jwk) || typeof jwk.kid !== 'string' || jwk.kid === '') continue;
    const key = importKey(jwk, algorithms, previous.get(jwk.kid));
    if (key !== undefined) keys.set(jwk.kid, key);
  }
  return keys;
}

function importKey(
  jwk: JsonObject,
  allowed: readonly Algorithm[],
  previous: VerificationKey | undefined,
): VerificationKey | undefined {
  const algorithms = allowed.filter((algorithm) => isKeyFor(jwk, algorithm));
  const [first] = algorithms;
  if (first === undefined) return undefined;
  const material = publicMaterial(jwk, first);
  const fingerprint = JSON.stringify([algorithms, material]);
  if (previous?.fingerprint === fingerprint) return previous;
  const key = toPublicKey(material);
  return key && { key, algorithms, fingerprint };
}

/** Whether a JWK is of the kind that the algorithm takes, and says nothing against this use (RFC 7517 §4). */
export function isKeyFor(jwk: JsonObject, algorithm: Algorithm): boolean {
  const { kty, crv } = signatureSchemes[algorithm];
  return (
    jwk.kty === kty &&
    jwk.crv === crv &&
    (jwk.alg === undefined || jwk.alg === algorithm) &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
  );
}

/** The members that make the public key, and no other, as RFC 7638 §3.2 orders them. */
export function publicMaterial(jwk: JsonObject, algorithm: Algorithm): JsonObject {
  const { publicMembers } = signatureSchemes[algorithm];
  return Object.fromEntries(publicMembers.map((name) => [name, jwk[name]]));
}

/** The key of this material; `undefined` when there is none, or an RSA one of less than 2048 bits. */
export function toPublicKey(material: JsonObject): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: material, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
    return bits < MIN_RSA_BITS ? undefined : key;
  } catch {
    return undefined; // not a point of the curve, a missing member: no key to anyone
  }
}
