import type { AccountPage } from '../accounts/account-store.ts';

/** Behind every character, so that a range ends behind all that begins with the same text. */
const LAST_CHARACTER = '\u{10FFFF}';
/** Before every character: with it at its end, a text is the very next one. */
const FIRST_CHARACTER = '\0';

/** The addresses of a page as one range of an index: `from` ≤ address < `to`. */
export function rangeOf({ afterEmail, emailPrefix: prefix = '' }: AccountPage): { from: string; to: string } {
  const next = afterEmail === undefined ? '' : `${afterEmail}${FIRST_CHARACTER}`;
  return { from: next > prefix ? next : prefix, to: `${prefix}${LAST_CHARACTER}` };
}
