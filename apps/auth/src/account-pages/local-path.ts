const BASE = 'https://local.invalid';
/** What browsers take for a slash, or leave out, when they look for the host. */
const treacherous = /[\\\p{Cc}]/u;

/**
 * The path and query of one of our own pages, as a parameter names it; `undefined` for whatever could lead a browser
 * to another host (RFC 9700 §4.11, open redirection).
 */
export function parseLocalPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !text.startsWith('/') || treacherous.test(text)) return undefined;
  if (!URL.canParse(text, BASE)) return undefined;
  const { origin, pathname, search } = new URL(text, BASE);
  // `/.//host` is a path of ours only until its dots are resolved.
  return origin === BASE && !pathname.startsWith('//') ? pathname + search : undefined;
}

/** A page of ours that leads on to another one when it is done. */
export function withReturnTo(path: string, returnTo: string | undefined): string {
  return returnTo === undefined ? path : `${path}?${new URLSearchParams({ return_to: returnTo })}`;
}
