import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describeWith, startRedis, startTcpProxy } from '@keydesk/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  callNowAndThen,
  type LimitedServer,
  POINTS,
  startLimitedServer,
  type TimedAnswer,
} from './limited-server.fixture.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { openRedis, type RedisConnection } from './redis-connection.ts';

/** Maximum delay of a request by Redis. */
const BOUND_MS = 300;
/** Retries, because load on the machine also delays requests. */
const measured = { retry: 4 };
const CLOSED_PORT_URL = 'redis://127.0.0.1:1';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface ServerOnRedis extends LimitedServer {
  redis: RedisConnection;
}

async function startServer(redisUrl: string): Promise<ServerOnRedis> {
  const redis = openRedis(redisUrl);
  cleanUps.push(redis.close);
  const server = await startLimitedServer(redis);
  cleanUps.push(server.close);
  return { ...server, redis };
}

async function startOwnRedis(port?: number) {
  const redis = await startRedis({ port });
  cleanUps.push(redis.stop);
  return redis;
}

async function startProxy(port: number) {
  const proxy = await startTcpProxy(port);
  cleanUps.push(proxy.close);
  return proxy;
}

const untilUsable = ({ isUsable }: RedisConnection) => vi.waitUntil(isUsable, { timeout: 30_000 });

/** Sends twice the limit, half of it concurrently. */
async function callTooOften({ call }: LimitedServer): Promise<TimedAnswer[]> {
  const answers = await Promise.all(Array.from({ length: POINTS }, () => call()));
  for (let i = 0; i < POINTS; i++) answers.push(await call());
  return answers;
}

const longestOf = (answers: readonly TimedAnswer[]) =>
  Math.max(...answers.map(({ milliseconds }) => milliseconds));

/** Measures the slowest of as many requests without Redis on this machine. */
async function measureWithoutRedis(): Promise<number> {
  const server = await startLimitedServer();
  cleanUps.push(server.close);
  return longestOf(await callTooOften(server));
}

/** Expects every response in time and exactly the limit to be allowed. */
async function expectLimitedInTime(server: LimitedServer): Promise<void> {
  const withoutRedis = await measureWithoutRedis();
  const answers = await callTooOften(server);
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(POINTS);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(POINTS);
  expect(longestOf(answers)).toBeLessThan(withoutRedis + BOUND_MS);
}

/**
 * Expects that a caller gets the same limit on two servers as on one. Retries with other callers, because one slow
 * command on a busy machine makes a process count separately for a moment.
 */
async function expectSharedCount(servers: readonly LimitedServer[], caller: string): Promise<void> {
  let round = 0;
  await vi.waitFor(
    async () => {
      round += 1;
      const calls = servers.flatMap(({ call }) =>
        Array.from({ length: POINTS }, () => call(`${caller} ${round}`)),
      );
      const answers = await Promise.all(calls);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(POINTS);
    },
    { timeout: 60_000, interval: 500 },
  );
}

describe('Redis that never started', () => {
  it('delays no request more than 300 ms, and each process limits separately', measured, async () => {
    await expectLimitedInTime(await startServer(CLOSED_PORT_URL));
  });

  it('fails a command at once', async () => {
    const redis = openRedis(CLOSED_PORT_URL);
    cleanUps.push(redis.close);
    await expect(redis.client.get('key')).rejects.toThrow('enableOfflineQueue');
  });
});

describeWith('redis', 'Redis that fails', () => {
  it.each(['kill', 'freeze'] as const)(
    'delays no request more than 300 ms after a %s, and each process limits separately',
    measured,
    async (outage) => {
      const redis = await startOwnRedis();
      const server = await startServer(redis.url);
      await untilUsable(server.redis);
      await redis[outage]();
      await expectLimitedInTime(server);
    },
  );

  it('delays no request more than 300 ms when it is killed while requests wait', measured, async () => {
    const redis = await startOwnRedis();
    const server = await startServer(redis.url);
    await untilUsable(server.redis);
    const withoutRedis = await measureWithoutRedis();
    redis.freeze();
    const answers = Array.from({ length: POINTS }, () => server.call());
    await sleep(50);
    await redis.kill();
    expect(longestOf(await Promise.all(answers))).toBeLessThan(withoutRedis + BOUND_MS);
  });

  it('delays no request more than 300 ms when it becomes slow', measured, async () => {
    const redis = await startOwnRedis();
    const proxy = await startProxy(redis.port);
    const server = await startServer(`redis://127.0.0.1:${proxy.port}`);
    await untilUsable(server.redis);
    await proxy.delay(400);
    await expectLimitedInTime(server);
  });

  it('delays no request more than 300 ms when it is slow from the start', measured, async () => {
    const redis = await startOwnRedis();
    const proxy = await startProxy(redis.port);
    await proxy.delay(400);
    await expectLimitedInTime(await startServer(`redis://127.0.0.1:${proxy.port}`));
  });

  it('is bypassed when it answers but refuses writes', measured, async () => {
    const redis = await startOwnRedis();
    const server = await startServer(redis.url);
    await untilUsable(server.redis);
    await server.redis.client.config('SET', 'maxmemory', '1');
    await expectLimitedInTime(server);
  });

  it('delays only the first requests of an outage, not every one', measured, async () => {
    const redis = await startOwnRedis();
    const server = await startServer(redis.url);
    await untilUsable(server.redis);
    const usual = (await callNowAndThen(server, 15)).toSorted((a, b) => a - b)[7] ?? 0;
    redis.freeze();
    const waits = await callNowAndThen(server, 60);
    expect(waits.filter((wait) => wait > usual + 100).length).toBeLessThan(20);
  });
});

describeWith('redis', 'Redis that comes back', () => {
  it('shares counts between processes again after a freeze', async () => {
    const redis = await startOwnRedis();
    const servers = [await startServer(redis.url), await startServer(redis.url)];
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    redis.freeze();
    await Promise.all(servers.map(({ call }) => call()));
    expect(servers.some((server) => server.redis.isUsable())).toBe(false);
    redis.thaw();
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    await expectSharedCount(servers, 'after the thaw');
  });

  it('shares counts between processes again after slowness', async () => {
    const redis = await startOwnRedis();
    const proxy = await startProxy(redis.port);
    const servers = [await startServer(`redis://127.0.0.1:${proxy.port}`), await startServer(redis.url)];
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    await proxy.delay(400);
    await servers[0]?.call();
    expect(servers[0]?.redis.isUsable()).toBe(false);
    await proxy.delay(0);
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    await expectSharedCount(servers, 'after the delay');
  });

  it('is used again over a new connection when the old one no longer responds', async () => {
    const redis = await startOwnRedis();
    const proxy = await startProxy(redis.port);
    const server = await startServer(`redis://127.0.0.1:${proxy.port}`);
    await untilUsable(server.redis);
    await proxy.delay(60_000, 'responses');
    await server.call();
    await proxy.delay(0);
    await untilUsable(server.redis);
  });

  it('counts a request once even when the connection breaks before the response', async () => {
    const redis = await startOwnRedis();
    const proxy = await startProxy(redis.port);
    const server = await startServer(`redis://127.0.0.1:${proxy.port}`);
    const { redis: direct } = await startServer(redis.url);
    direct.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
    await Promise.all([untilUsable(server.redis), untilUsable(direct)]);
    await proxy.delay(60_000, 'responses');
    const answer = server.call('once');
    await vi.waitUntil(async () => (await direct.client.exists('test:once')) === 1, {
      timeout: 30_000,
    });
    await proxy.delay(0);
    await proxy.cut();
    await answer;
    await untilUsable(server.redis);
    expect(await direct.client.get('test:once')).toBe('1');
  });

  it('shares counts between processes again after a restart, without any request in between', async () => {
    const redis = await startOwnRedis();
    const servers = [await startServer(redis.url), await startServer(redis.url)];
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    await redis.kill();
    await vi.waitUntil(() => !servers.some((server) => server.redis.isUsable()), { timeout: 30_000 });
    await startOwnRedis(redis.port);
    await Promise.all(servers.map((server) => untilUsable(server.redis)));
    await expectSharedCount(servers, 'after the restart');
  });
});

describeWith('redis', 'the log of an outage', () => {
  function openLogged(url: string) {
    const lines: { level: string; details?: object; message: string }[] = [];
    const redis = openRedis(url, {
      log: {
        warn: (details, message) => lines.push({ level: 'warn', details, message }),
        info: (message) => lines.push({ level: 'info', message }),
      },
    });
    redis.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
    cleanUps.push(redis.close);
    return { redis, lines };
  }

  it('has one line for its start and one for its end, regardless of the number of errors', async () => {
    const { port, kill } = await startOwnRedis();
    await kill();
    const { redis, lines } = openLogged(`redis://127.0.0.1:${port}`);
    const errors = vi.fn();
    redis.client.on('error', errors);
    await vi.waitUntil(() => errors.mock.calls.length >= 4, { timeout: 30_000 });
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    await startOwnRedis(port);
    await untilUsable(redis);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('has one line for the start while Redis answers but refuses writes', async () => {
    const { redis, lines } = openLogged((await startOwnRedis()).url);
    const limiter = createRateLimiter({ redis, keyPrefix: 'full', points: 10, durationSeconds: 60 });
    await untilUsable(redis);
    await redis.client.config('SET', 'maxmemory', '1');
    for (let i = 0; i < 5; i++) {
      await limiter.consume('key');
      await sleep(500);
    }
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    await redis.client.config('SET', 'maxmemory', '0');
    await untilUsable(redis);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('contains the reason but never the password', async () => {
    const { url, stop } = await startRedis({ password: 'the right one' });
    cleanUps.push(stop);
    const { lines } = openLogged(url.replace('//', '//:open-sesame@'));
    await vi.waitUntil(() => lines.length > 0, { timeout: 30_000 });
    expect(inspect(lines, { depth: null })).toContain('WRONGPASS');
    expect(inspect(lines, { depth: null })).not.toContain('open-sesame');
  });

  it('ends with the connection', async () => {
    const { redis, lines } = openLogged((await startOwnRedis()).url);
    await untilUsable(redis);
    redis.close();
    await expect(redis.client.ping()).rejects.toThrow();
    redis.reportFailure(new Error('a command was cut off'), () => redis.client.ping());
    expect(redis.isUsable()).toBe(false);
    expect(lines).toEqual([]);
  });
});
