import { createHmac, timingSafeEqual } from 'node:crypto';

/** Shows that a form was posted from one of our pages, in the browser that was given it (RFC 9700 §2.1, CSRF). */
export interface FormTokens {
  /** The field `csrf` of the forms of one holder, such as an interaction, a session or a browser. */
  tokenFor(holderId: string): string;
  isTokenFor(holderId: string, token: string): boolean;
}

/** What a form belongs to. */
export type FormHolder = 'interaction' | 'session' | 'browser';

/**
 * The tokens are made of the holder's id, which only one browser has behind its cookie; so the server keeps nothing,
 * and every process knows every token.
 *
 * @param key 32 bytes, as `deriveKey` gives them
 */
export function createFormTokens(key: Uint8Array, holder: FormHolder): FormTokens {
  const digest = (id: string) => createHmac('sha256', key).update(`${holder} ${id}`).digest();

  return {
    tokenFor: (id) => digest(id).toString('base64url'),
    isTokenFor(id, token) {
      const expected = digest(id);
      const presented = Buffer.from(token, 'base64url');
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}
