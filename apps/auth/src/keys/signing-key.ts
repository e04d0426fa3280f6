import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
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

/** Minimum of FAPI 2.0 §5.4.1. More would slow each sign-in down, and rotation replaces keys early enough. */
const RSA_BITS = 2048;

/** Creates a key, sealed for storage. Its `kid` is its thumbprint (RFC 7638). */
export async function createSigningKey(
  { algorithm, activeFrom }: Pick<StoredKey, 'algorithm' | 'activeFrom'>,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: RSA_BITS, extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sealedJwk = sealer.seal(Buffer.from(JSON.stringify(jwk)), associatedDataOf(kid));
  return { kid, algorithm, sealedJwk, createdAt: now, activeFrom };
}

/**
 * Opens a stored key.
 *
 * @throws {Error} when it was sealed with another master secret or was altered
 */
export function openSigningKey({ kid, algorithm, sealedJwk }: StoredKey, sealer: Sealer): SigningKey {
  const jwk = JSON.parse(Buffer.from(open(sealedJwk, kid, sealer)).toString()) as JsonWebKey;
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { kid, algorithm, privateKey, publicKey: createPublicKey(privateKey) };
}

function open(sealedJwk: Uint8Array, kid: string, sealer: Sealer): Uint8Array {
  try {
    return sealer.open(sealedJwk, associatedDataOf(kid));
  } catch (cause) {
    throw new Error('The master secret does not match the stored signing keys; use the original one.', {
      cause,
    });
  }
}

function associatedDataOf(kid: string): string {
  return `signing key ${kid}`;
}
