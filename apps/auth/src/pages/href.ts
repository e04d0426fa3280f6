const SAFE_PROTOCOLS: readonly string[] = ['https:', 'http:', 'mailto:'];

/**
 * Returns a URL that is safe in a link: a path on this server, or an http, https or mailto URL. Returns `undefined` for
 * anything else, such as `javascript:`, which pages show as text.
 */
export function safeHref(value: string): string | undefined {
  // "//host", "/\host" and "/<tab>/host" lead to another server.
  if (/^\/(?![/\\])[^\s\\]*$/.test(value)) return value;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url && SAFE_PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

/**
 * Returns the URL of a link to a registered redirect URI. Also allows private-use schemes of apps, which contain a dot
 * (RFC 8252 §7.1); no scheme that a browser executes or renders contains one.
 */
export function applicationHref(value: string): string | undefined {
  const isApp = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:/.test(value) && URL.canParse(value);
  return isApp ? new URL(value).href : safeHref(value);
}

/** Returns the host of a home page. Pages show only the host, because it is harder to fake than the rest of a URL. */
export function hostOf(value: string): string {
  return URL.canParse(value) ? new URL(value).host || value : value;
}
