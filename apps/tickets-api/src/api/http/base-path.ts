import { AppError } from '@keydesk/server';
import type { Middleware } from 'koa';

/** Returns the path of a base URL without a trailing slash; empty when the API is at the root of its host. */
export function toBasePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/**
 * Mounts all following middleware at the path of the base URL: strips that path from `ctx.path` and `ctx.url`, and
 * answers 404 for any other path. `ctx.originalUrl` keeps the path as it was sent.
 */
export function mountAtBaseUrl(baseUrl: string): Middleware {
  const basePath = toBasePath(baseUrl);
  return function stripBasePath(ctx, next) {
    if (ctx.path !== basePath && !ctx.path.startsWith(`${basePath}/`)) {
      throw new AppError(
        'not_found',
        `No resource has this URL. The base URL of this API is ${baseUrl}; see ${baseUrl}/docs for all endpoints.`,
      );
    }
    const rest = ctx.url.slice(basePath.length);
    ctx.url = rest.startsWith('/') ? rest : `/${rest}`;
    return next();
  };
}
