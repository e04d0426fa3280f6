import type { Context, Middleware } from 'koa';
import type { Asset } from '../../pages/asset.ts';

interface PageHeaderOptions {
  /**
   * Redirect URI at which the page's form may end. Chromium applies `form-action` to every following redirect, and
   * applications redirect to other hosts, so only the scheme is restricted.
   */
  redirectUri?: string | undefined;
  /** URLs of identity providers at which the page's form may end. */
  providerUrls?: readonly string[] | undefined;
  /** Nonce of the page's inline script, which is then the only allowed script. */
  nonce?: string | undefined;
}

/** Sets the headers of every page: only our own scripts, styles and images, no framing, no caching. */
export function setPageHeaders(
  ctx: Context,
  { redirectUri, providerUrls = [], nonce }: PageHeaderOptions = {},
): void {
  const uris = [...(redirectUri === undefined ? [] : [redirectUri]), ...providerUrls];
  const targets = new Set(["'self'", ...uris.map(toFormTarget).filter(Boolean)]);
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${nonce === undefined ? "'self'" : `'nonce-${nonce}'`}`,
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${[...targets].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  });
  ctx.type = 'html';
}

/** Returns the CSP source expression of a URI's scheme (CSP Level 3 §2.3.1); `http:` also matches https. */
function toFormTarget(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).protocol : '';
}

/** Serves the files of pages. Browsers cache them permanently, because their names contain a digest. */
export function pageAssets(assets: readonly Asset[]): Middleware {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  return function serveAsset(ctx, next) {
    const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined;
    return asset ? serve(ctx, asset) : next();
  };
}

function serve(ctx: Context, { contentType, content }: Asset): void {
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = contentType;
  ctx.body = content;
}
