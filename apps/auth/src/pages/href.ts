const SAFE_PROTOCOLS: readonly string[] = ['https:', 'http:', 'mailto:'];

/**
 * What may stand in a link: a path on this server, or an absolute address that is http, https or mail. Anything else,
 * such as `javascript:`, gives `undefined`, and is then shown as text.
 */
export function safeHref(value: string): string | undefined {
  // "//host", "/\host" and "/<tab>/host" lead to another server.
  if (/^\/(?![/\\])[^\s\\]*$/.test(value)) return value;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url && SAFE_PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

/**
 * Address of a link to a registered redirect URI. An app's private-use scheme is allowed, too: it has a dot (RFC 8252
 * §7.1), as no scheme has that a browser runs or shows by itself.
 */
export function applicationHref(value: string): string | undefined {
  const isApp = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:/.test(value) && URL.canParse(value);
  return isApp ? new URL(value).href : safeHref(value);
}

/** How a home page is named to people: by its host, which unlike the rest of an address is hard to dress up. */
export function hostOf(value: string): string {
  return URL.canParse(value) ? new URL(value).host || value : value;
}
