import type { Middleware } from 'koa';

/** Headers of every answer of an API: nothing is sniffed, framed, referred or rendered as a page. */
export function apiSecurityHeaders(): Middleware {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  };
  return function setSecurityHeaders(ctx, next) {
    ctx.set(headers);
    return next();
  };
}
