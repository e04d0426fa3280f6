import type { AccountPage } from '../accounts/account/account-store.ts';

/** Sorts after every character; ends the range of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';
/** Sorts before every character; a text with it appended is the next possible one. */
const FIRST_CHARACTER = '\0';

/** Returns the e-mail addresses of a page as one index range: `from` ≤ address < `to`. */
export function emailRangeOf({ afterEmail, emailPrefix: prefix = '' }: AccountPage): {
  from: string;
  to: string;
} {
  const next = afterEmail === undefined ? '' : `${afterEmail}${FIRST_CHARACTER}`;
  return { from: next > prefix ? next : prefix, to: `${prefix}${LAST_CHARACTER}` };
}
