import { setHeaders } from '@keydesk/http';
import type { Middleware } from 'koa';

const readable =
  'API-Version, Deprecation, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id, X-Client-Request-Id, Keydesk-Changed, Idempotency-Replayed';
const sendable =
  'Authorization, DPoP, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Lets single-page apps of any origin call the API. That is safe because a browser adds nothing by itself that the
 * API would accept: there are no cookies, and a token has to be put in by the app.
 */
export function cors(): Middleware {
  return function setCorsHeaders(ctx, next) {
    setHeaders(ctx, { 'Access-Control-Allow-Origin': '*' });
    // Browsers alone read it, and with every request from a page of elsewhere they send its origin.
    if (ctx.get('Origin') !== '') ctx.set('Access-Control-Expose-Headers', readable);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set('Access-Control-Allow-Headers', sendable);
      ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    }
    return next();
  };
}
