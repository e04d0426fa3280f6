import type { Middleware } from 'koa';

/** Runs a middleware only for requests to one path. */
export function onPath(path: string, middleware: Middleware): Middleware {
  return (ctx, next) => (ctx.path === path ? middleware(ctx, next) : next());
}

/** Runs a middleware for all requests except those to the given paths. */
export function exceptOnPaths(paths: ReadonlySet<string>, middleware: Middleware): Middleware {
  return (ctx, next) => (paths.has(ctx.path) ? next() : middleware(ctx, next));
}
