import type { Middleware } from 'koa';

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Sets security headers of API responses: no sniffing, framing, referrers or rendering.
 *
 * @param isHttps enables HSTS (RFC 6797), because the public URL uses https
 */
export function apiSecurityHeaders({ isHttps = false }: { isHttps?: boolean } = {}): Middleware {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(isHttps && { 'Strict-Transport-Security': `max-age=${ONE_YEAR_SECONDS}` }),
  };
  return function setSecurityHeaders(ctx, next) {
    ctx.set(headers);
    return next();
  };
}
