import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RedisConnection } from './redis-connection.ts';
import { createReplayGuard } from './replay-guard.ts';

/** Contract suite of replay guards; `connect` returns the shared Redis connection, if any. */
export function replayGuardContract(name: string, connect: () => RedisConnection | undefined): void {
  const createGuard = () => createReplayGuard({ redis: connect(), keyPrefix: randomUUID() });

  describe(`a replay guard ${name}`, () => {
    it('accepts a key once', async () => {
      const { firstUse } = createGuard();
      expect(await firstUse('key', 60)).toBe(true);
      expect(await firstUse('key', 60)).toBe(false);
      expect(await firstUse('key', 60)).toBe(false);
    });

    it('accepts exactly one of several concurrent uses', async () => {
      const { firstUse } = createGuard();
      const answers = await Promise.all(Array.from({ length: 500 }, () => firstUse('key', 60)));
      expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
    });

    it('distinguishes keys', async () => {
      const { firstUse } = createGuard();
      for (const key of ['key', 'Key', 'key2', '__proto__', 'constructor'])
        expect(await firstUse(key, 60)).toBe(true);
    });

    it('stores a key for its lifetime, which refused uses do not extend', async () => {
      const { firstUse } = createGuard();
      const startedAt = performance.now();
      await firstUse('long', 60);
      await firstUse('brief', 3);
      expect(await firstUse('brief', 3)).toBe(false);
      // If refused uses extended the lifetime, this would never succeed.
      await expect.poll(() => firstUse('brief', 3), { interval: 200 }).toBe(true);
      expect(performance.now() - startedAt).toBeGreaterThan(2_900);
      expect(await firstUse('brief', 3)).toBe(false);
      expect(await firstUse('long', 60)).toBe(false);
    });
  });
}
