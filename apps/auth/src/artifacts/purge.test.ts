import { randomUUID } from 'node:crypto';
import { createLogger } from '@keydesk/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createPurge, type ExpiringStore, type Purge, type PurgeDeps } from './purge.ts';

const time = Date.parse('2026-03-01T12:00:00.000Z');
const minutes = (count: number) => new Date(time + count * 60_000);

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };

describe('the purge job', () => {
  const started: Purge[] = [];
  let lines: string[] = [];

  afterEach(async () => {
    await Promise.all(started.splice(0).map((purge) => purge.stop()));
    lines = [];
  });

  function startPurge(deps: Pick<PurgeDeps, 'stores'> & Partial<PurgeDeps>): Purge {
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'test', level: 'info', isPretty: false, destination });
    const purge = createPurge({ now: () => new Date(time), log, intervalSeconds: 0.05, batch: 10, ...deps });
    purge.start();
    started.push(purge);
    return purge;
  }

  onEveryEngine((engine) => {
    const storage = useStorage(engine);

    async function write(count: number, expiresAt: Date | undefined): Promise<string[]> {
      const keys = Array.from({ length: count }, () => randomUUID());
      const payload = new Uint8Array();
      const { artifacts } = storage.get();
      await Promise.all(keys.map((key) => artifacts.upsert({ model: 'Session', key, payload, expiresAt })));
      return keys;
    }

    it('deletes and counts all expired entries in batches, and nothing else', async () => {
      await write(25, minutes(-1));
      const live = [...(await write(2, minutes(1))), ...(await write(1, undefined))];
      const counts: number[] = [];
      const { artifacts } = storage.get();
      startPurge({ stores: [artifacts], onPurged: (count) => counts.push(count) });
      await vi.waitUntil(() => counts.length >= 3, patient);
      expect(counts.slice(0, 3)).toEqual([10, 10, 5]);
      for (const key of live) expect(await artifacts.find('Session', key, minutes(0))).toBeDefined();
    });

    it('deletes and counts each entry once, however many processes run it', async () => {
      await write(50, minutes(-1));
      let total = 0;
      const stores = [storage.get().artifacts];
      for (const each of [stores, [(await storage.openAnother()).artifacts]]) {
        startPurge({ stores: each, onPurged: (count) => (total += count) });
      }
      await vi.waitUntil(() => total >= 50, patient);
      await Promise.all(started.map((purge) => purge.stop()));
      expect(total).toBe(50);
    });
  });

  it('runs as many batches as needed in one run', async () => {
    let batches = 0;
    const full: ExpiringStore = {
      async purgeExpired(_now, limit) {
        batches += 1;
        return batches < 3 ? limit : 0;
      },
    };
    startPurge({ stores: [full], intervalSeconds: 4 });
    // Three runs of one batch each would take 12 seconds.
    await vi.waitUntil(() => batches === 3, patient);
  });

  it('runs again after the interval, even after a failure, which it logs', async () => {
    let runs = 0;
    const failsOnce: ExpiringStore = {
      async purgeExpired() {
        runs += 1;
        if (runs === 1) throw new Error('the database is away');
        return 0;
      },
    };
    startPurge({ stores: [failsOnce] });
    await vi.waitUntil(() => runs >= 3, patient);
    expect(lines.join()).toContain('the database is away');
    expect(lines).toHaveLength(1);
  });

  it('waits for the interval before the first run and when nothing is left to delete', async () => {
    const runs: number[] = [];
    const startedAt = performance.now();
    const empty: ExpiringStore = {
      async purgeExpired() {
        runs.push(performance.now() - startedAt);
        return 0;
      },
    };
    startPurge({ stores: [empty], intervalSeconds: 0.2 });
    await vi.waitUntil(() => runs.length === 2, patient);
    expect(runs[0]).toBeGreaterThan(190);
    expect(runs[1]).toBeGreaterThan(380);
  });

  it('finishes the batch in flight when it is stopped and starts no other', async () => {
    let [begun, ended] = [0, 0];
    const endless: ExpiringStore = {
      async purgeExpired(_now, limit) {
        begun += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        ended += 1;
        return limit;
      },
    };
    const purge = startPurge({ stores: [endless] });
    await vi.waitUntil(() => begun >= 3, patient);
    await purge.stop();
    const begunAtStop = begun;
    expect(ended).toBe(begun);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(begun).toBe(begunAtStop);
  });
});
