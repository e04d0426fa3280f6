import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Contract suite of rate limiters; `connect` returns the shared Redis connection, if any. */
export function rateLimiterContract(name: string, connect: () => RedisConnection | undefined): void {
  let prefixes = 0;
  const limiterOf = (points: number, durationSeconds = 60) =>
    createRateLimiter({ redis: connect(), keyPrefix: `${name}:${prefixes++}`, points, durationSeconds });

  describe(`a rate limiter ${name}`, () => {
    it('allows up to the limit, then refuses with the time until the window ends', async () => {
      const { consume } = limiterOf(2);
      const startedAt = performance.now();
      expect(await consume('key')).toEqual({ isAllowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 0 });
      const refused = await consume('key');
      expect(refused).toMatchObject({ isAllowed: false, limit: 2, remaining: 0 });
      expect(refused.resetSeconds).toBeLessThanOrEqual(60);
      expect(refused.resetSeconds).toBeGreaterThanOrEqual(60 - (performance.now() - startedAt) / 1_000);
    });

    it('never allows more than its points to concurrent calls', async () => {
      const { consume } = limiterOf(50);
      const results = await Promise.all(Array.from({ length: 500 }, () => consume('key')));
      expect(results.filter(({ isAllowed }) => isAllowed)).toHaveLength(50);
    });

    it('counts each key separately', async () => {
      const { consume } = limiterOf(1);
      await consume('one');
      expect(await consume('other')).toMatchObject({ isAllowed: true });
      expect(await consume('one')).toMatchObject({ isAllowed: false });
    });

    it('counts each prefix separately', async () => {
      await limiterOf(1).consume('key');
      expect(await limiterOf(1).consume('key')).toMatchObject({ isAllowed: true });
    });

    it('subtracts the cost, and refuses a cost above the remaining points', async () => {
      const { consume } = limiterOf(10);
      expect(await consume('key', 8)).toMatchObject({ isAllowed: true, remaining: 2 });
      expect(await consume('key', 3)).toMatchObject({ isAllowed: false });
    });

    it('allows refunded points again, and no more', async () => {
      const { consume, refund } = limiterOf(3);
      await Promise.all([consume('key'), consume('key'), consume('key')]);
      await refund('key', 2);
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 1 });
      expect(await consume('key')).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await consume('key')).toMatchObject({ isAllowed: false });
    });

    it('allows again after the window even when the clock is set back, and never returns a longer wait', async () => {
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

    it('allows again after the window, which refused calls do not extend', async () => {
      const { consume } = limiterOf(1, 3);
      const startedAt = performance.now();
      await consume('key');
      expect(await consume('key')).toMatchObject({ isAllowed: false });
      // If refused calls extended the window, this would never succeed.
      await expect.poll(async () => (await consume('key')).isAllowed, { interval: 200 }).toBe(true);
      expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    });
  });
}
