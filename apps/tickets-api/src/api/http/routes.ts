import { requireScope } from '@keydesk/access-token';
import { AppError, joinMiddleware } from '@keydesk/server';
import Router, { type RouterContext } from '@koa/router';
import type { Context, Middleware, Next } from 'koa';
import { isUuid } from '../../wire/schema/scalars.ts';

/** Check before a handler, or the handler. */
type Step = (ctx: RouterContext, next: Next) => unknown;

/**
 * Route: method, path without the format suffix, scope that the access token needs, checks, and the handler. The name
 * of the handler is the id of its operation in the contract.
 */
export type Route = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  scope: string,
  ...steps: readonly Step[],
];

/** Returns the check of an operation that runs after that of the scope; `undefined`: none. */
export type CheckOf = (operation: string) => Middleware | undefined;

/**
 * Creates the router of these routes. Each request passes the pipeline first, then the check of the scope, then
 * that of the operation (`checkOf`), then the steps of its route. Middleware added by `use` would be matched as a route of its own on every request, which costs
 * 5 % of the time of a read.
 */
export function createRouter(
  pipeline: readonly Middleware[],
  routes: readonly Route[],
  checkOf: CheckOf = () => undefined,
): Router {
  // Paths match case-sensitively (RFC 3986 §6.2.2.1).
  const router = new Router({ sensitive: true, strict: true });
  const pass = joinMiddleware(pipeline);
  for (const [method, path, scope, ...steps] of routes) {
    const operation = steps.at(-1)?.name ?? '';
    const check = checkOf(operation);
    const setRoute: Middleware = (ctx, next) => {
      ctx.state.route = { scope, operation };
      return next();
    };
    const checks = [requireScope(scope), ...(check ? [check] : [])];
    router.register(path, [method], joinMiddleware([setRoute, pass, ...checks, ...(steps as Middleware[])]));
  }
  return router;
}

/**
 * Creates the middleware that runs the route of a request. Paths of one first segment and length have their own router,
 * because a router compares a path with each of its routes.
 */
export function createRouting(...[pipeline, routes, checkOf]: Parameters<typeof createRouter>) {
  const byShape = Map.groupBy(routes, ([, path]) => toShape(path));
  const routers = new Map(
    [...byShape].map(([shape, own]) => [shape, createRouter(pipeline, own, checkOf).routes()]),
  );
  return function routeRequest(ctx: RouterContext, next: Next): unknown {
    const route = routers.get(toShape(ctx.newRouterPath ?? ctx.path));
    return route ? route(ctx, next) : next();
  };
}

/** Returns the first segment of a path and the number of its segments. */
function toShape(path: string): string {
  const segments = path.split('/');
  return `${segments[1]} ${segments.length}`;
}

/** Returns the scope that the matched route requires. */
export function getRequiredScope({ state }: Pick<Context, 'state'>): string {
  return state.route.scope;
}

/** Returns the id of the operation of the matched route. */
export function getOperationId({ state }: Pick<Context, 'state'>): string {
  return state.route.operation;
}

/** Reads the id of the ticket in a path. @throws {AppError} `not_found` for anything but a UUID */
export function readTicketId(ctx: Pick<RouterContext, 'params'>): string {
  return readId(ctx, 'id', 'ticket');
}

/**
 * Reads an id from a path and converts it to lower case, the stored form: ids are case-insensitive (RFC 9562 §4).
 *
 * @param name path parameter
 * @param what kind of resource named in the error text
 * @throws {AppError} `not_found` for anything but a UUID
 */
export function readId({ params }: Pick<RouterContext, 'params'>, name: string, what: string): string {
  const id = (params[name] ?? '').toLowerCase();
  if (isUuid(id)) return id;
  throw new AppError('not_found', `There is no ${what} with this id.`);
}
