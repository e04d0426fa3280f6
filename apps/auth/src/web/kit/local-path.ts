const BASE = 'https://local.invalid';
/** Characters that browsers read as a slash or drop when they parse the host. */
const ambiguous = /[\\\p{Cc}]/u;

/**
 * Parses the path and query of a local page. Returns `undefined` for text that could lead a browser to another host
 * (RFC 9700 §4.11, open redirection).
 */
export function parseLocalPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !text.startsWith('/') || ambiguous.test(text)) return undefined;
  if (!URL.canParse(text, BASE)) return undefined;
  const { origin, pathname, search } = new URL(text, BASE);
  // `/.//host` is a local path only until its dots are resolved.
  return origin === BASE && !pathname.startsWith('//') ? pathname + search : undefined;
}

/** Adds the page to return to as the query parameter `return_to`. */
export function withReturnTo(path: string, returnTo: string | undefined): string {
  return returnTo === undefined ? path : `${path}?${new URLSearchParams({ return_to: returnTo })}`;
}
