/**
 * What ends a line, changes the order of what comes after it (UAX #9), or is half a character: with these a name can be
 * made to look like another one.
 */
const deceptive = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether people see one line of text, and see it as it is. */
export function isLineOfText(text: string): boolean {
  return !deceptive.test(text) && visible.test(text);
}
