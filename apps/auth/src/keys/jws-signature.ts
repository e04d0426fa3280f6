import { createPrivateKey, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from './signing-key.ts';

const signInPool = promisify(sign);
const ES256_INTEGER_BYTES = 32;

/** As many as the thread pool has threads by default. */
const COPIES = 4;

/**
 * Signs as a JWS is signed (RFC 7518 §3.3, §3.4), in the thread pool.
 *
 * The key goes to `node:crypto` as it is, and the signature is rearranged here: asking for this form by `dsaEncoding`
 * costs the event loop another 20 µs, and signing by way of Web Crypto, as jose does, twice the time in all. Copies of
 * the key take turns, because signatures under one key object hold each other up, and the event loop with them: with
 * copies a loaded server issues a fifth more tokens.
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

/** R and S side by side, of two DER integers in a sequence: these have a zero in front, or have lost theirs. */
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
