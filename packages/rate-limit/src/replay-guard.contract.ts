import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RedisConnection } from './redis-connection.ts';
import { createReplayGuard } from './replay-guard.ts';

/** What every replay guard promises, whatever remembers for it; `connect` gives the connection to share, if any. */
export function replayGuardContract(name: string, connect: () => RedisConnection | undefined): void {
  const createGuard = () => createReplayGuard({ redis: connect(), keyPrefix: randomUUID() });

  describe(`a replay guard ${name}`, () => {
    it('lets a key be used once', async () => {
      const { firstUse } = createGuard();
      expect(await firstUse('key', 60)).toBe(true);
      expect(await firstUse('key', 60)).toBe(false);
      expect(await firstUse('key', 60)).toBe(false);
    });

    it('lets exactly one be first, however many ask at once', async () => {
      const { firstUse } = createGuard();
      const answers = await Promise.all(Array.from({ length: 500 }, () => firstUse('key', 60)));
      expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
    });

    it('tells keys apart', async () => {
      const { firstUse } = createGuard();
      for (const key of ['key', 'Key', 'key2', '__proto__', 'constructor'])
        expect(await firstUse(key, 60)).toBe(true);
    });

    it('remembers a key for its time, which being refused does not prolong', async () => {
      const { firstUse } = createGuard();
      const startedAt = performance.now();
      await firstUse('long', 60);
      await firstUse('brief', 3);
      expect(await firstUse('brief', 3)).toBe(false);
      // Refused so often, it would never be the first again if that prolonged its time.
      await expect.poll(() => firstUse('brief', 3), { interval: 200 }).toBe(true);
      expect(performance.now() - startedAt).toBeGreaterThan(2_900);
      expect(await firstUse('brief', 3)).toBe(false);
      expect(await firstUse('long', 60)).toBe(false);
    });
  });
}
