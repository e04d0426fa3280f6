import { describeWith, type RedisServer, startRedis } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rateLimiterContract } from './rate-limiter.contract.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { openRedis, type RedisConnection } from './redis-connection.ts';

rateLimiterContract('in memory', () => undefined);

describe('the options of a rate limiter', () => {
  it.each([
    { points: -1, durationSeconds: 60 },
    { points: 1.5, durationSeconds: 60 },
    { points: 10, durationSeconds: 0 },
    { points: 10, durationSeconds: Number.NaN },
  ])('refuses %o', (options) => {
    expect(() => createRateLimiter({ keyPrefix: 'bad', ...options })).toThrow(RangeError);
  });
});

describeWith('redis', 'rate limiters on Redis', () => {
  let server: RedisServer;
  let redis: RedisConnection;

  beforeAll(async () => {
    server = await startRedis();
    redis = await connect();
  });
  afterAll(async () => {
    redis.close();
    await server.stop();
  });

  async function connect(): Promise<RedisConnection> {
    const connection = openRedis(server.url);
    connection.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
    await vi.waitUntil(connection.isUsable, { timeout: 30_000 });
    return connection;
  }

  rateLimiterContract('on Redis', () => redis);

  it('share one count over two connections', async () => {
    const otherRedis = await connect();
    const limit = { keyPrefix: 'both', points: 20, durationSeconds: 60 };
    const limiters = [
      createRateLimiter({ redis, ...limit }),
      createRateLimiter({ redis: otherRedis, ...limit }),
    ];
    const results = await Promise.all(
      limiters.flatMap(({ consume }) => Array.from({ length: 20 }, () => consume('key'))),
    );
    otherRedis.close();
    expect(results.filter(({ isAllowed }) => isAllowed)).toHaveLength(20);
  });

  it('do not access Redis without a limit', async () => {
    await redis.client.flushall();
    const { consume } = createRateLimiter({ redis, keyPrefix: 'none', points: 0, durationSeconds: 60 });
    const results = await Promise.all(Array.from({ length: 100 }, () => consume('key')));
    expect(results.every(({ isAllowed }) => isAllowed)).toBe(true);
    expect(await redis.client.dbsize()).toBe(0);
  });

  it('leave nothing in Redis after the window', async () => {
    await redis.client.flushall();
    await createRateLimiter({ redis, keyPrefix: 'brief', points: 5, durationSeconds: 3 }).consume('key');
    expect(await redis.client.dbsize()).toBe(1);
    await vi.waitUntil(async () => (await redis.client.dbsize()) === 0, { timeout: 30_000 });
  });

  it('continue to count after a script flush of Redis', async () => {
    const { consume } = createRateLimiter({ redis, keyPrefix: 'script', points: 5, durationSeconds: 60 });
    await consume('key');
    await redis.client.script('FLUSH');
    expect(await consume('key')).toMatchObject({ remaining: 3 });
    expect(redis.isUsable()).toBe(true);
  });

  it('refuse a flood of an exhausted key without accessing Redis', async () => {
    const { consume } = createRateLimiter({ redis, keyPrefix: 'flood', points: 1, durationSeconds: 60 });
    await consume('key');
    await redis.client.config('RESETSTAT');
    const results = await Promise.all(Array.from({ length: 100 }, () => consume('key')));
    expect(results.some(({ isAllowed }) => isAllowed)).toBe(false);
    expect(await redis.client.info('commandstats')).not.toContain('cmdstat_eval');
  });
});
