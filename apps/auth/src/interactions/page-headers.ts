import type { Context } from 'koa';

/**
 * What every page is sent with: nothing but our own styles and images, no script, no frame, no copy kept.
 *
 * @param redirectUri where the page's form may end; Chromium holds `form-action` against redirects too
 */
export function setPageHeaders(ctx: Context, redirectUri?: string | undefined): void {
  const targets = ["'self'", redirectUri === undefined ? '' : toFormTarget(redirectUri)].filter(Boolean);
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${targets.join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
  });
  ctx.type = 'html';
}

/** A source expression (CSP Level 3 §2.3.1) for a URI: its origin, or the scheme where that says no more. */
function toFormTarget(uri: string): string {
  if (!URL.canParse(uri)) return '';
  const { protocol, origin, hostname } = new URL(uri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  // The grammar of host sources has no IPv6 addresses.
  return isWeb && !hostname.startsWith('[') ? origin : protocol;
}
