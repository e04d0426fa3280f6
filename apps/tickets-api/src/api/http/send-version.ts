import type { Middleware } from 'koa';

/** Sets `API-Version` on every response, errors included. */
export function sendVersion(version: string): Middleware {
  return function setVersion(ctx, next) {
    ctx.set('API-Version', version);
    return next();
  };
}
