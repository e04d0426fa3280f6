import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import type { Next } from 'koa';

/**
 * Answers requests that no route handled. For a known path, `OPTIONS` gets the supported methods, and any other method
 * gets 405 with the same list (RFC 9110 §9.3.7, §15.5.6). `OPTIONS` needs no token, because CORS preflights cannot
 * carry one.
 *
 * @param basePath path of the base URL, a prefix of every path in a message
 */
export function answerUnhandled(basePath: string) {
  return async function answerUnhandledRequest(ctx: RouterContext, next: Next): Promise<void> {
    const methods = new Set(ctx.matched?.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw unknownPath(basePath);
    if (methods.has(ctx.method)) return next();
    rejectMethod(ctx, [...methods, 'OPTIONS'].sort().join(', '));
  };
}

/** Answers `OPTIONS` with the methods of the path and rejects any other method. */
function rejectMethod(ctx: RouterContext, allowed: string): void {
  if (ctx.method !== 'OPTIONS') {
    throw new AppError('method_not_allowed', `${ctx.method} is not supported here; use one of ${allowed}.`, {
      headers: { Allow: allowed },
    });
  }
  ctx.set({ Allow: allowed, 'Access-Control-Allow-Methods': allowed });
  ctx.status = 204;
}

/** Builds the error for an unknown path; names both endpoints because clients often confuse singular and plural. */
function unknownPath(basePath: string): AppError {
  return new AppError(
    'not_found',
    `No resource has this URL. A ticket is at ${basePath}/ticket/{id}.json, the list of tickets at ${basePath}/tickets.json; see ${basePath}/docs for all endpoints.`,
  );
}
