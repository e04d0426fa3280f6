import type { Middleware } from 'koa';

const exposedHeaders =
  'API-Version, Deprecation, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id, X-Client-Request-Id, Keydesk-Changed, Idempotency-Replayed';
const allowedHeaders =
  'Authorization, DPoP, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Allows single-page apps of any origin to call the API. This is safe because browsers attach no credentials by
 * themselves: the API uses no cookies, and the app must add a token.
 */
export function cors(): Middleware {
  return function setCorsHeaders(ctx, next) {
    ctx.set('Access-Control-Allow-Origin', '*');
    // Only browsers read this header, and they send Origin with every cross-origin request.
    if (ctx.get('Origin') !== '') ctx.set('Access-Control-Expose-Headers', exposedHeaders);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set('Access-Control-Allow-Headers', allowedHeaders);
      ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    }
    return next();
  };
}

/** Sets `API-Version` on every response, errors included. */
export function sendVersion(version: string): Middleware {
  return function setVersion(ctx, next) {
    ctx.set('API-Version', version);
    return next();
  };
}
