import type { Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import { AppError, joinMiddleware } from '../index.ts';
import { startTestApp } from '../test-app.fixture.ts';

const append =
  (text: string): Middleware =>
  async (ctx, next) => {
    ctx.body = `${ctx.body ?? ''}${text}`;
    await next();
  };

async function request(...steps: readonly Middleware[]): Promise<string> {
  const { url } = await startTestApp(joinMiddleware(steps));
  return (await fetch(url)).text();
}

describe('joined middleware', () => {
  it('runs in its order at every request', async () => {
    const { url } = await startTestApp(joinMiddleware([append('a'), append('b'), append('c')]));
    for (const expected of ['abc', 'abc']) expect(await (await fetch(url)).text()).toBe(expected);
  });

  it('runs before what follows it', async () => {
    expect(await request(joinMiddleware([append('a'), append('b')]), joinMiddleware([]), append('c'))).toBe(
      'abc',
    );
  });

  it('ends at a step that responds', async () => {
    const respond: Middleware = (ctx) => {
      ctx.body = 'done';
    };
    expect(await request(respond, append('never'))).toBe('done');
  });

  it('passes the error of a step to the steps before it', async () => {
    const recover: Middleware = async (ctx, next) => {
      try {
        await next();
      } catch (err) {
        ctx.body = err instanceof AppError && err.code;
      }
    };
    const fail: Middleware = () => {
      throw new AppError('conflict', 'The ticket is closed.');
    };
    expect(await request(recover, fail)).toBe('conflict');
  });
});
