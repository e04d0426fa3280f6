import { createHmac, timingSafeEqual } from 'node:crypto';

/** Shows that a form was posted from one of our pages, in the browser that was given it (RFC 9700 §2.1, CSRF). */
export interface FormTokens {
  /** The field `csrf` of the forms of one interaction. */
  tokenFor(interactionUid: string): string;
  isTokenFor(interactionUid: string, token: string): boolean;
}

/**
 * The tokens are made of the interaction's uid, which only the browser that it began in has as its cookie; so the
 * server keeps nothing, and every process knows every token.
 *
 * @param key 32 bytes, as `deriveKey` gives them
 */
export function createFormTokens(key: Uint8Array): FormTokens {
  const digest = (uid: string) => createHmac('sha256', key).update(`interaction ${uid}`).digest();

  return {
    tokenFor: (uid) => digest(uid).toString('base64url'),
    isTokenFor(uid, token) {
      const expected = digest(uid);
      const presented = Buffer.from(token, 'base64url');
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}
