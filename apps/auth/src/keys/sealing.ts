import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomFillSync,
} from 'node:crypto';

/** Encrypts what a database keeps, so that a copy of the database alone is worth nothing. */
export interface Sealer {
  /** Encrypts and authenticates `plaintext`; `associatedData` names the one place where it may be opened again. */
  seal(plaintext: Uint8Array, associatedData: string): Uint8Array;
  /** @throws {Error} when it was sealed for another place or under another key, or was altered. */
  open(sealed: Uint8Array, associatedData: string): Uint8Array;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const nonces = Buffer.alloc(256 * NONCE_BYTES);
let noncesEnd = nonces.length;

/** The generator is asked for many at once: by itself each would cost as much as the encryption. */
function nextNonce(): Uint8Array {
  if (noncesEnd === nonces.length) {
    randomFillSync(nonces);
    noncesEnd = 0;
  }
  noncesEnd += NONCE_BYTES;
  return nonces.subarray(noncesEnd - NONCE_BYTES, noncesEnd);
}

/**
 * AES-256-GCM (NIST SP 800-38D). Every place has a key of its own, the HMAC of its name: random nonces are safe for
 * 2^32 messages under one key (§8.3), which a busy server would write in weeks under a single one.
 *
 * @param key 32 bytes, as `deriveKey` gives them.
 */
export function createSealer(key: Uint8Array): Sealer {
  // Key objects throughout: each time Node is given the bytes of a key, it first fails to take them for an object, which
  // costs five times what the cryptography does.
  const sealingKey = createSecretKey(key);
  const keyOf = (associatedData: string) =>
    createSecretKey(createHmac('sha256', sealingKey).update(associatedData).digest());

  return {
    seal(plaintext, associatedData) {
      const nonce = nextNonce();
      const cipher = createCipheriv(ALGORITHM, keyOf(associatedData), nonce);
      const ciphertext = [cipher.update(plaintext), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...ciphertext]);
    },

    open(sealed, associatedData) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const options = { authTagLength: TAG_BYTES };
        const decipher = createDecipheriv(ALGORITHM, keyOf(associatedData), nonce, options).setAuthTag(tag);
        const ciphertext = sealed.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
      } catch (cause) {
        throw new Error('Sealed data does not open: wrong key, wrong place or altered.', { cause });
      }
    },
  };
}

/** A 32-byte key for one purpose (HKDF-SHA-256, RFC 5869); keys of different purposes tell nothing of each other. */
export function deriveKey(masterSecret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterSecret, '', `keydesk ${purpose}`, KEY_BYTES));
}
