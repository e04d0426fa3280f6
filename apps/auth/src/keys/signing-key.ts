import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import type { StoredKey } from './key-store.ts';
import type { Sealer } from './sealing.ts';

export type KeyAlgorithm = StoredKey['algorithm'];

/** A key pair that signs tokens. */
export interface SigningKey {
  kid: string;
  algorithm: KeyAlgorithm;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** What FAPI 2.0 §5.4.1 asks for. More would cost at every sign-in; rotation replaces a key long before it is worn. */
const RSA_BITS = 2048;
const generate = promisify(generateKeyPair);

const generators: Record<KeyAlgorithm, () => Promise<JsonWebKey>> = {
  ES256: async () => (await generate('ec', { namedCurve: 'P-256' })).privateKey.export({ format: 'jwk' }),
  RS256: async () =>
    (await generate('rsa', { modulusLength: RSA_BITS })).privateKey.export({ format: 'jwk' }),
};

/** A new key, sealed for storage; `kid` is its thumbprint (RFC 7638). */
export async function createSigningKey(
  { algorithm, activeFrom }: Pick<StoredKey, 'algorithm' | 'activeFrom'>,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<StoredKey> {
  const jwk = await generators[algorithm]();
  const kid = await calculateJwkThumbprint(jwk);
  const sealedJwk = sealer.seal(Buffer.from(JSON.stringify(jwk)), placeOf(kid));
  return { kid, algorithm, sealedJwk, createdAt: now, activeFrom };
}

/**
 * The key pair of a stored key.
 *
 * @throws {Error} when it was sealed under another master secret or was altered
 */
export function openSigningKey({ kid, algorithm, sealedJwk }: StoredKey, sealer: Sealer): SigningKey {
  const jwk = JSON.parse(Buffer.from(open(sealedJwk, kid, sealer)).toString()) as JsonWebKey;
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { kid, algorithm, privateKey, publicKey: createPublicKey(privateKey) };
}

function open(sealedJwk: Uint8Array, kid: string, sealer: Sealer): Uint8Array {
  try {
    return sealer.open(sealedJwk, placeOf(kid));
  } catch (cause) {
    throw new Error('The master secret is not the one that the signing keys were sealed with.', { cause });
  }
}

function placeOf(kid: string): string {
  return `signing key ${kid}`;
}
