import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Shows that a form was posted from one of our pages, in the browser that was given it (RFC 9700 §2.1, CSRF). */
export interface FormTokens {
  /** The field `csrf` of the forms of one holder, such as an interaction, a session or a browser; another each time. */
  tokenFor(holderId: string): string;
  isTokenFor(holderId: string, token: string): boolean;
}

/** What a form belongs to. */
export type FormHolder = 'interaction' | 'session' | 'browser';

const NONCE_BYTES = 16;

/**
 * The tokens are made of the holder's id, which only one browser has behind its cookie; so the server keeps nothing,
 * and every process knows every token.
 *
 * @param key 32 bytes, as `deriveKey` gives them
 */
export function createFormTokens(key: Uint8Array, holder: FormHolder): FormTokens {
  const withDigest = (nonce: Uint8Array, id: string) =>
    Buffer.concat([nonce, createHmac('sha256', key).update(nonce).update(`${holder} ${id}`).digest()]);

  return {
    tokenFor: (id) => withDigest(randomBytes(NONCE_BYTES), id).toString('base64url'),
    isTokenFor(id, token) {
      const presented = Buffer.from(token, 'base64url');
      const expected = withDigest(presented.subarray(0, NONCE_BYTES), id);
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}
