import { createPrivateKey, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from './signing-key.ts';

const signInPool = promisify(sign);
const ES256_INTEGER_BYTES = 32;

/** Number of key copies, equal to the default size of the thread pool. */
const COPIES = 4;

/**
 * Creates a JWS signer (RFC 7518 §3.3, §3.4) that uses the thread pool.
 *
 * `node:crypto` produces a DER signature, which is rearranged here. Requesting the JWS form by `dsaEncoding` costs the
 * event loop another 20 µs; Web Crypto, which jose uses, takes twice as long in all. Copies of the key take turns,
 * because concurrent signatures with one key object block each other and the event loop. With copies a loaded server
 * issues a fifth more tokens.
 */
export function createJwsSigner({ algorithm, privateKey }: SigningKey) {
  const key = privateKey.export({ format: 'der', type: 'pkcs8' });
  const copies = Array.from({ length: COPIES }, () =>
    createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  );
  let turn = 0;

  return async function signJws(data: Uint8Array): Promise<Uint8Array> {
    turn = (turn + 1) % COPIES;
    const signature = await signInPool('sha256', data, copies[turn] ?? privateKey);
    return algorithm === 'ES256' ? fromDer(signature) : signature;
  };
}

/** Converts a DER signature to R and S side by side. A DER integer may have a leading zero or omit leading zeros. */
function fromDer(der: Buffer): Buffer {
  const signature = Buffer.alloc(2 * ES256_INTEGER_BYTES);
  let offset = 2;
  for (const end of [ES256_INTEGER_BYTES, 2 * ES256_INTEGER_BYTES]) {
    const start = offset + 2;
    offset = start + der.readUInt8(offset + 1);
    const integer = der.subarray(start, offset).subarray(-ES256_INTEGER_BYTES);
    signature.set(integer, end - integer.length);
  }
  return signature;
}
