import { setHeaders } from '@keydesk/server';
import type { Middleware } from 'koa';

/** Sets `API-Version` on every response, errors included. */
export function sendVersion(version: string): Middleware {
  const headers = { 'API-Version': version };
  return function setVersion(ctx, next) {
    setHeaders(ctx, headers);
    return next();
  };
}
