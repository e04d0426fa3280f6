import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';
import type { RedisConnection } from './redis-connection.ts';

/** What every limiter promises, whatever counts for it; `connect` gives the connection to share, if there is one. */
export function rateLimiterContract(name: string, connect: () => RedisConnection | undefined): void {
  let prefixes = 0;
  const limiterOf = (points: number, durationSeconds = 60) =>
    createRateLimiter({ redis: connect(), keyPrefix: `${name}:${prefixes++}`, points, durationSeconds });

  describe(`a rate limiter ${name}`, () => {
    it('counts down to the limit and then refuses, never telling to come back too early', async () => {
      const { consume } = limiterOf(2);
      const startedAt = performance.now();
      expect(await consume('key')).toEqual({ isAllowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 0 });
      const refused = await consume('key');
      expect(refused).toMatchObject({ isAllowed: false, limit: 2, remaining: 0 });
      expect(refused.resetSeconds).toBeLessThanOrEqual(60);
      expect(refused.resetSeconds).toBeGreaterThanOrEqual(60 - (performance.now() - startedAt) / 1_000);
    });

    it('never allows more than its points, however many ask at once', async () => {
      const { consume } = limiterOf(50);
      const results = await Promise.all(Array.from({ length: 500 }, () => consume('key')));
      expect(results.filter(({ isAllowed }) => isAllowed)).toHaveLength(50);
    });

    it('counts each key for itself', async () => {
      const { consume } = limiterOf(1);
      await consume('one');
      expect(await consume('other')).toMatchObject({ isAllowed: true });
      expect(await consume('one')).toMatchObject({ isAllowed: false });
    });

    it('counts each prefix for itself', async () => {
      await limiterOf(1).consume('key');
      expect(await limiterOf(1).consume('key')).toMatchObject({ isAllowed: true });
    });

    it('takes what a consume costs, and refuses one that costs more than is left', async () => {
      const { consume } = limiterOf(10);
      expect(await consume('key', 8)).toMatchObject({ isAllowed: true, remaining: 2 });
      expect(await consume('key', 3)).toMatchObject({ isAllowed: false });
    });

    it('allows what was given back, and no more than that', async () => {
      const { consume, giveBack } = limiterOf(3);
      await Promise.all([consume('key'), consume('key'), consume('key')]);
      await giveBack('key', 2);
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 1 });
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await consume('key')).toMatchObject({ isAllowed: false });
    });

    it('allows again when the window is over, though the clock was set back, and tells nobody to wait for longer', async () => {
      const { consume } = limiterOf(1, 1);
      await consume('key');
      await consume('key');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
      onTestFinished(() => void vi.useRealTimers());
      expect((await consume('key')).resetSeconds).toBe(1);
      await sleep(1_100);
      vi.setSystemTime(Date.now() + 1_100);
      expect(await consume('key')).toMatchObject({ isAllowed: true });
    });

    it('allows again when the window is over, and being refused does not prolong it', async () => {
      const { consume } = limiterOf(1, 3);
      const startedAt = performance.now();
      await consume('key');
      expect(await consume('key')).toMatchObject({ isAllowed: false });
      // Refused so often, it would never be allowed if that prolonged the window.
      await expect.poll(async () => (await consume('key')).isAllowed, { interval: 200 }).toBe(true);
      expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    });
  });
}
