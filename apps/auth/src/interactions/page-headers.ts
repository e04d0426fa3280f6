import type { Context } from 'koa';

export interface PageHeaderOptions {
  /**
   * Where the page's form may end. Chromium holds `form-action` against every redirect that follows, and applications
   * lead on to wherever people see them next, so that only the scheme can be said.
   */
  redirectUri?: string | undefined;
  /** The nonce of the page's own script, which is then the only one that runs. */
  nonce?: string | undefined;
}

/** Sets the headers of every page: only our own script files, styles and images; no frame; no copy kept. */
export function setPageHeaders(ctx: Context, { redirectUri, nonce }: PageHeaderOptions = {}): void {
  const targets = ["'self'", redirectUri === undefined ? '' : toFormTarget(redirectUri)].filter(Boolean);
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${nonce === undefined ? "'self'" : `'nonce-${nonce}'`}`,
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${targets.join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  });
  ctx.type = 'html';
}

/** A source expression (CSP Level 3 §2.3.1) for a URI and those of its scheme; `http:` is good for https, too. */
function toFormTarget(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).protocol : '';
}
