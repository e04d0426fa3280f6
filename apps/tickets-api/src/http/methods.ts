import { AppError } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import type { Next } from 'koa';

/**
 * Stands behind the routes, where nothing else answers. For a path that they have, it answers `OPTIONS` with the methods
 * of the path and refuses any other method with 405, which names them too (RFC 9110 §9.3.7, §15.5.6). `OPTIONS` asks for
 * no token, for a browser's preflight cannot carry one.
 *
 * @param basePath of the base URL, which every path in a message begins with
 */
export function answerOtherMethods(basePath: string) {
  return async function answerOtherMethod(ctx: RouterContext, next: Next): Promise<void> {
    const methods = new Set(ctx.matched?.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw nothingThere(basePath);
    if (methods.has(ctx.method)) return next();
    refuseMethod(ctx, [...methods, 'OPTIONS'].sort().join(', '));
  };
}

/** Answers `OPTIONS` with the methods of the path; refuses any other. */
function refuseMethod(ctx: RouterContext, allowed: string): void {
  if (ctx.method !== 'OPTIONS') {
    throw new AppError('method_not_allowed', `This resource has the methods ${allowed}.`, {
      headers: { Allow: allowed },
    });
  }
  ctx.set({ Allow: allowed, 'Access-Control-Allow-Methods': allowed });
  ctx.status = 204;
}

/** Which number a path is in is soon mistaken. */
function nothingThere(basePath: string): AppError {
  return new AppError(
    'not_found',
    `No resource has this address. One ticket is at ${basePath}/ticket/{id}.json, all of them are at ${basePath}/tickets.json; see ${basePath}/docs for all endpoints.`,
  );
}
