import { setTimeout as sleep } from 'node:timers/promises';
import { errorResponses, listen } from '@keydesk/server';
import Koa from 'koa';
import { rateLimit } from './rate-limit.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { RedisConnection } from './redis-connection.ts';

export const POINTS = 20;

export interface LimitedServer {
  url: string;
  /** Sends one request of a caller and returns its status and duration. */
  call(caller?: string): Promise<TimedAnswer>;
  close(): Promise<void>;
}

export interface TimedAnswer {
  status: number;
  milliseconds: number;
}

/**
 * Starts a server that allows each caller 20 requests per minute. It responds 429, because Node's `fetch` repeats a
 * request after 421.
 */
export async function startLimitedServer(redis?: RedisConnection): Promise<LimitedServer> {
  const limiter = createRateLimiter({ redis, keyPrefix: 'test', points: POINTS, durationSeconds: 60 });
  const app = new Koa();
  app.use(errorResponses());
  app.use(
    rateLimit({
      policies: { reads: limiter, writes: limiter },
      keyOf: (ctx) => ctx.get('caller'),
      status: 429,
    }),
  );
  app.use((ctx) => {
    ctx.status = 204;
  });
  const { url, close } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  return { url, close, call: (caller = 'default') => timedCall(url, caller) };
}

/** Sends several requests of different callers with pauses, and returns their durations. */
export async function callNowAndThen({ call }: LimitedServer, times: number): Promise<number[]> {
  const waits: number[] = [];
  for (let i = 0; i < times; i++) {
    waits.push((await call(`caller ${i}`)).milliseconds);
    await sleep(50);
  }
  return waits;
}

export async function timedCall(url: string, caller: string): Promise<TimedAnswer> {
  const startedAt = performance.now();
  const { status } = await fetch(url, { headers: { caller } });
  return { status, milliseconds: performance.now() - startedAt };
}
