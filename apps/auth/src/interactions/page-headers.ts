import type { Context } from 'koa';

/**
 * What every page is sent with: nothing but our own styles and images, no script, no frame, no copy kept.
 *
 * @param redirectUri where the page's form may end. Chromium holds `form-action` against every redirect that follows, and
 *   applications lead on to wherever people see them next, so that only the scheme can be said.
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

/** A source expression (CSP Level 3 §2.3.1) for a URI and those of its scheme; `http:` is good for https, too. */
function toFormTarget(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).protocol : '';
}
