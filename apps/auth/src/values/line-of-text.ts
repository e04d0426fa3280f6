/**
 * Line ends, controls, bidirectional overrides (UAX #9) and lone surrogates. With these, a name can be made to look
 * like another one.
 */
const deceptive = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a text is one visible line without deceptive characters. */
export function isLineOfText(text: string): boolean {
  return !deceptive.test(text) && visible.test(text);
}
