import type { Middleware } from 'koa';
import { setHeaders } from './set-headers.ts';

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Headers of every answer of an API: nothing is sniffed, framed, referred or rendered as a page.
 *
 * @param isHttps the service is reached by https, so browsers shall never try without (HSTS, RFC 6797)
 */
export function apiSecurityHeaders({ isHttps = false }: { isHttps?: boolean } = {}): Middleware {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(isHttps && { 'Strict-Transport-Security': `max-age=${ONE_YEAR_SECONDS}` }),
  };
  return function setSecurityHeaders(ctx, next) {
    setHeaders(ctx, headers);
    return next();
  };
}
