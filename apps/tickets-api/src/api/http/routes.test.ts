import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { expect, it } from 'vitest';
import { createRouter } from './routes.ts';

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
  'runs the pipeline and the check of the scope before the steps of a %s route',
  async (method) => {
    const passed: string[] = [];
    const pass = (name: string) => (_: unknown, next: () => Promise<unknown>) => {
      passed.push(name);
      return next();
    };
    const scopes = {
      has(scope: string) {
        passed.push(scope);
        return true;
      },
    };
    const authenticate: Middleware = (ctx, next) => {
      Object.assign(ctx.state, { caller: { scopes }, challenge: () => undefined });
      return pass('authenticate')(ctx, next);
    };
    const pipeline = [authenticate, pass('limit')];
    const router = createRouter(pipeline, [
      [method, '/ticket/:id', 'tickets:read', pass('check'), pass('handler')],
    ]);
    await router.routes()(
      { method, path: '/ticket/1', request: {}, state: {} } as unknown as RouterContext,
      async () => undefined,
    );
    expect(passed).toEqual(['authenticate', 'limit', 'tickets:read', 'check', 'handler']);
  },
);
