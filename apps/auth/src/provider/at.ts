import type { Middleware } from 'koa';

/** Shows a middleware the requests to one address only; all others pass it by, at no cost. */
export function at(path: string, middleware: Middleware): Middleware {
  return (ctx, next) => (ctx.path === path ? middleware(ctx, next) : next());
}

/** Shows a middleware no requests to these addresses. */
export function exceptAt(paths: ReadonlySet<string>, middleware: Middleware): Middleware {
  return (ctx, next) => (paths.has(ctx.path) ? next() : middleware(ctx, next));
}
