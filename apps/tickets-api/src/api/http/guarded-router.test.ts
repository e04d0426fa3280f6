import type { RouterContext } from '@koa/router';
import { expect, it } from 'vitest';
import { GuardedRouter } from './guarded-router.ts';

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'runs the guard before the handlers of %s routes',
  async (method) => {
    const passed: string[] = [];
    const pass = (name: string) => (_: unknown, next: () => Promise<unknown>) => {
      passed.push(name);
      return next();
    };
    const router = new GuardedRouter(pass('guard'));
    for (const add of [router.get, router.post, router.put, router.patch, router.delete])
      add.call(router, '/ticket/:id', pass('scope'), pass('handler'));
    await router.routes()(
      { method, path: '/ticket/1', request: {}, state: {} } as unknown as RouterContext,
      async () => undefined,
    );
    expect(passed).toEqual(['guard', 'scope', 'handler']);
  },
);
