import { setHeaders } from '@keydesk/http';
import type { Middleware } from 'koa';

/** Names the version of the API in every answer, a refusal included. */
export function sendVersion(version: string): Middleware {
  const headers = { 'API-Version': version };
  return function setVersion(ctx, next) {
    setHeaders(ctx, headers);
    return next();
  };
}
