import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** CSRF tokens: prove that a form was posted from one of our pages in the same browser (RFC 9700 §2.1). */
export interface CsrfTokens {
  /** Creates a token for the field `csrf`; each token of a holder is different. */
  tokenFor(holderId: string): string;
  isTokenFor(holderId: string, token: string): boolean;
}

/** The owner of a form's token, whose id only one browser has. */
export type CsrfTokenHolder = 'interaction' | 'session' | 'browser';

const NONCE_BYTES = 16;

/**
 * Derives tokens from the id of the holder, which only one browser has in a cookie. So nothing is stored, and every
 * process accepts every token.
 *
 * @param key 32 bytes from `deriveKey`
 */
export function createCsrfTokens(key: Uint8Array, holder: CsrfTokenHolder): CsrfTokens {
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
