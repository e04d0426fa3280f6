import { AppError } from '@keydesk/http';
import type { Middleware } from 'koa';

/** The path of a base URL, without a trailing slash; empty at the root of its host. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/**
 * Serves everything behind it under the path of the base URL: takes that path off `ctx.path` and `ctx.url`, and answers 404
 * for any other. The path as it was sent stays in `ctx.originalUrl`.
 */
export function mountAtBaseUrl(baseUrl: string): Middleware {
  const basePath = basePathOf(baseUrl);
  return function takeBasePathOff(ctx, next) {
    if (ctx.path !== basePath && !ctx.path.startsWith(`${basePath}/`)) {
      throw new AppError(
        'not_found',
        `No resource has this address. This API is at ${baseUrl}; see ${baseUrl}/docs for all endpoints.`,
      );
    }
    const rest = ctx.url.slice(basePath.length);
    ctx.url = rest.startsWith('/') ? rest : `/${rest}`;
    return next();
  };
}
