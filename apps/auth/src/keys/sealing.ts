import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

/** Encrypts stored data, so that a copy of the database alone is useless. */
export interface Sealer {
  /** Encrypts and authenticates `plaintext`. It opens only with the same `associatedData`. */
  seal(plaintext: Uint8Array, associatedData: string): Uint8Array;
  /**
   * Decrypts sealed data.
   *
   * @throws {Error} when it was sealed with other associated data or another key, or was altered
   */
  open(sealed: Uint8Array, associatedData: string): Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a sealer with AES-256-GCM (NIST SP 800-38D). Each associated data has its own key, an HMAC of it: random
 * nonces are safe for 2^32 messages per key (§8.3), which a busy server would write in weeks.
 *
 * @param key 32 bytes, as returned by `deriveKey`
 */
export function createSealer(key: Uint8Array): Sealer {
  // Key objects throughout: for raw bytes, Node first fails to parse them as an object, which costs five times as much
  // as the cryptography.
  const sealingKey = createSecretKey(key);
  const keyOf = (associatedData: string) =>
    createSecretKey(createHmac('sha256', sealingKey).update(associatedData).digest());

  return {
    seal(plaintext, associatedData) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyOf(associatedData), nonce);
      const ciphertext = cipher.update(plaintext);
      // Computes the tag; GCM has no last block.
      cipher.final();
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },

    open(sealed, associatedData) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const options = { authTagLength: TAG_BYTES };
        const decipher = createDecipheriv(ALGORITHM, keyOf(associatedData), nonce, options).setAuthTag(tag);
        const plaintext = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
        // Throws unless the tag matches.
        decipher.final();
        return plaintext;
      } catch (cause) {
        throw new Error('Sealed data does not open: wrong key, wrong associated data or altered.', { cause });
      }
    },
  };
}

/** Derives a 32-byte key for one purpose (HKDF-SHA-256, RFC 5869). Keys of different purposes are independent. */
export function deriveKey(masterSecret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterSecret, '', `keydesk ${purpose}`, KEY_BYTES));
}
