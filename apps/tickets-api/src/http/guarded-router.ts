import type { ScopeCheck } from '@keydesk/access-token';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';

/** The scope that the matched route of a `GuardedRouter` checks. */
export function requiredScopeOf({ state }: Pick<Context, 'state'>): string | undefined {
  return state.requiredScope;
}

/** The name of the handler of the matched route of a `GuardedRouter`. */
export function handlerOf({ state }: Pick<Context, 'state'>): string {
  return state.handler;
}

/**
 * A router each route of which begins with the guard. What is given to `use` instead is looked for and taken apart at each
 * request as a route of its own, which is a twentieth of what a read costs.
 */
export class GuardedRouter extends Router {
  readonly #guard: Middleware;

  constructor(guard: Middleware) {
    // Paths are told apart by every character (RFC 3986 §6.2.2.1).
    super({ sensitive: true, strict: true });
    this.#guard = guard;
  }

  /** What `get`, `post` and the like go through. */
  override register(
    ...[path, methods, middleware, options]: Parameters<Router['register']>
  ): ReturnType<Router['register']> {
    const handlers = [middleware].flat();
    const check = handlers.find((handler) => 'scope' in handler) as ScopeCheck | undefined;
    return super.register(
      path,
      methods,
      [this.#guardFor(check, handlers.at(-1)?.name), ...handlers],
      options,
    );
  }

  /** The guard, which learns the scope that the check behind it requires, and the name of the handler. */
  #guardFor(check: ScopeCheck | undefined, handler: string | undefined): Middleware {
    const guard = this.#guard;
    return function guardRoute(ctx, next) {
      ctx.state.requiredScope = check?.scope;
      ctx.state.handler = handler;
      return guard(ctx, next);
    };
  }
}
