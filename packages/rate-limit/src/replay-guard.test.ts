import { describeWith, type RedisServer, startRedis } from '@keydesk/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRedis, type RedisConnection } from './redis-connection.ts';
import { replayGuardContract } from './replay-guard.contract.ts';
import { createReplayGuard, type ReplayGuard } from './replay-guard.ts';

/** Maximum delay of a request by Redis. */
const BOUND_MS = 300;
/** Retries, because load on the machine also delays requests. */
const measured = { retry: 4 };

replayGuardContract('in memory', () => undefined);

describe('the memory of a process (RFC 9449 §11.1)', () => {
  function createBounded(maxKeys: number) {
    let time = 0;
    const { firstUse } = createReplayGuard({ keyPrefix: 'bounded', maxKeys, now: () => new Date(time) });
    return {
      firstUse,
      advanceSeconds(seconds: number) {
        time += seconds * 1_000;
      },
    };
  }

  it('is limited, and refuses new keys instead of dropping old ones', async () => {
    const { firstUse } = createBounded(3);
    for (const key of ['a', 'b', 'c']) expect(await firstUse(key, 60)).toBe(true);
    await expect(firstUse('d', 60)).rejects.toThrow('3 keys are in use');
    for (const key of ['a', 'b', 'c']) expect(await firstUse(key, 60)).toBe(false);
  });

  it('accepts new keys after old ones expire', async () => {
    const { firstUse, advanceSeconds } = createBounded(3);
    for (let i = 0; i < 100; i++) {
      expect(await firstUse(`${i}`, 60)).toBe(true);
      expect(await firstUse(`${i}`, 60)).toBe(false);
      advanceSeconds(60);
    }
  });

  it('drops no key before its expiry', async () => {
    const { firstUse, advanceSeconds } = createBounded(1_000);
    const endOf = new Map<string, number>();
    for (let second = 0; second < 300; second++) {
      const key = `${second}`;
      const ttlSeconds = 1 + ((second * 7) % 90);
      await firstUse(key, ttlSeconds);
      endOf.set(key, second + ttlSeconds);
      for (const [known, end] of endOf) if (end > second) expect(await firstUse(known, 1)).toBe(false);
      advanceSeconds(1);
    }
  });
});

describeWith('redis', 'replay guards on Redis', () => {
  let server: RedisServer;
  const connections: RedisConnection[] = [];

  beforeAll(async () => {
    server = await startRedis();
    await connect();
  });
  afterAll(async () => {
    for (const redis of connections) redis.close();
    await server.stop();
  });

  async function connect(): Promise<RedisConnection> {
    const redis = openRedis(server.url);
    redis.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
    connections.push(redis);
    await vi.waitUntil(redis.isUsable, { timeout: 30_000 });
    return redis;
  }

  replayGuardContract('on Redis', () => connections[0]);

  it('accept exactly one use across connections', async () => {
    const guards = [await connect(), await connect()].map((redis) =>
      createReplayGuard({ redis, keyPrefix: 'both' }),
    );
    for (let i = 0; i < 50; i++) {
      const answers = await Promise.all(guards.map(({ firstUse }) => firstUse(`${i}`, 60)));
      expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
    }
  });

  it('separate keys by prefix', async () => {
    const redis = await connect();
    const guards = ['one', 'other'].map((keyPrefix) => createReplayGuard({ redis, keyPrefix }));
    for (const { firstUse } of guards) expect(await firstUse('key', 60)).toBe(true);
  });

  it('leave nothing in Redis after the lifetime of a key', async () => {
    const redis = await connect();
    await redis.client.flushall();
    await createReplayGuard({ redis, keyPrefix: 'brief' }).firstUse('key', 3);
    expect(await redis.client.dbsize()).toBe(1);
    await vi.waitUntil(async () => (await redis.client.dbsize()) === 0, { timeout: 30_000 });
  });
});

describeWith('redis', 'a replay guard whose Redis fails', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function startGuard() {
    const server = await startRedis();
    const redis = openRedis(server.url);
    cleanUps.push(server.stop, redis.close);
    await vi.waitUntil(redis.isUsable, { timeout: 30_000 });
    return { server, redis, guard: createReplayGuard({ redis, keyPrefix: 'test' }) };
  }

  async function timedUse({ firstUse }: ReplayGuard, key: string) {
    const startedAt = performance.now();
    return { isFirst: await firstUse(key, 60), milliseconds: performance.now() - startedAt };
  }

  it.each(['kill', 'freeze'] as const)(
    'works without delay in this process after a %s, and still rejects earlier keys',
    measured,
    async (outage) => {
      const { server, guard } = await startGuard();
      await guard.firstUse('before', 60);
      await server[outage]();
      const answers = [];
      for (const key of ['new', 'new', 'before', 'newer']) answers.push(await timedUse(guard, key));
      expect(answers.map(({ isFirst }) => isFirst)).toEqual([true, false, false, true]);
      expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(BOUND_MS);
    },
  );

  it('delays only the first uses of an outage, not every one', measured, async () => {
    const { server, guard } = await startGuard();
    server.freeze();
    const waits: number[] = [];
    for (let i = 0; i < 20; i++) waits.push((await timedUse(guard, `${i}`)).milliseconds);
    expect(waits.filter((wait) => wait > 100).length).toBeLessThan(5);
  });

  it('is bypassed while Redis answers but refuses writes, and used again afterwards', async () => {
    const { redis, guard } = await startGuard();
    redis.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
    await redis.client.config('SET', 'maxmemory', '1');
    expect(await timedUse(guard, 'alone')).toMatchObject({ isFirst: true });
    expect(redis.isUsable()).toBe(false);
    await redis.client.config('SET', 'maxmemory', '0');
    await vi.waitUntil(redis.isUsable, { timeout: 30_000 });
    expect(await guard.firstUse('alone', 60)).toBe(false);
    expect(await guard.firstUse('shared', 60)).toBe(true);
    expect(await redis.client.exists('test:shared')).toBe(1);
  });
});
