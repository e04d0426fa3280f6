import { repeatTask, runWithLease } from '@keydesk/server';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { Storage } from '../helpdesk/storage.ts';
import { onEveryEngine, openTwice } from './engines.fixture.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

onEveryEngine((createDatabase) => {
  describe('a lease', () => {
    const opened = openTwice(createDatabase);

    const acquire = (storage: Storage, holder: string, [from, to]: [number, number], name = 'lease') =>
      storage.leases.acquire({ name, holder, now: at(from), expiresAt: at(to) });

    it('has one holder until it expires, who can extend it', async () => {
      expect(await acquire(opened.storage, 'one', [0, 30])).toBe(true);
      expect(await acquire(opened.other, 'two', [10, 40])).toBe(false);
      expect(await acquire(opened.storage, 'one', [20, 50])).toBe(true);
      expect(await acquire(opened.other, 'two', [49, 79])).toBe(false);
      expect(await acquire(opened.other, 'two', [50, 80])).toBe(true);
      expect(await acquire(opened.storage, 'one', [51, 81])).toBe(false);
    });

    it('has one of several that ask at the same time', async () => {
      const asked = Array.from({ length: 20 }, (_, index) =>
        acquire(index % 2 === 0 ? opened.storage : opened.other, `holder ${index}`, [0, 30], 'race'),
      );
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
    });

    it('is free when its holder releases it, and only then', async () => {
      await acquire(opened.storage, 'one', [0, 30], 'released');
      await opened.other.leases.release({ name: 'released', holder: 'two' });
      expect(await acquire(opened.other, 'two', [1, 31], 'released')).toBe(false);
      await opened.storage.leases.release({ name: 'released', holder: 'one' });
      expect(await acquire(opened.other, 'two', [1, 31], 'released')).toBe(true);
    });
  });

  describe('a periodic task of two processes on one database', () => {
    const opened = openTwice(createDatabase);
    const runs: Record<string, number> = {};
    let seconds = 0;
    const stops: (() => Promise<void>)[] = [];
    afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

    function start(holder: string, storage: Storage) {
      const lease = { store: storage.leases, name: 'jobs', holder, now: () => at(seconds), renewMs: 20 };
      const count = async () => {
        runs[holder] = (runs[holder] ?? 0) + 1;
      };
      const task = runWithLease({ ...lease, log: pino({ level: 'silent' }) }, () =>
        repeatTask(count, { intervalMs: 5, delayMs: 0 }),
      );
      stops.push(task.stop);
      return task;
    }

    it('runs in the one with the lease, and in the other when that one stops', async () => {
      const first = start('first', opened.storage);
      await expect.poll(() => runs.first).toBeGreaterThan(0);
      start('second', opened.other);
      const before = runs.first ?? 0;
      await expect.poll(() => runs.first).toBeGreaterThan(before + 20);
      expect(runs.second).toBeUndefined();
      await first.stop();
      const after = runs.first;
      await expect.poll(() => runs.second).toBeGreaterThan(0);
      expect(runs.first).toBe(after);
    });

    it('runs in the other when the lease of a killed process has expired', async () => {
      await opened.storage.leases.acquire({ name: 'jobs', holder: 'killed', now: at(0), expiresAt: at(30) });
      start('third', opened.other);
      seconds = 29;
      expect(runs.third).toBeUndefined();
      seconds = 30;
      await expect.poll(() => runs.third).toBeGreaterThan(0);
    });
  });
});
