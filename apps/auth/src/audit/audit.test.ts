import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@keydesk/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Audit, type AuditOptions, createAudit, queuedTypes } from './audit.ts';
import { type AuditEvent, type AuditRecord, auditEventTypes } from './audit-event.ts';
import { createRecordIds, firstIdAt } from './record-id.ts';

const noon = new Date('2026-03-01T12:00:00.000Z');

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };

function event(members: Partial<AuditEvent> = {}): AuditEvent {
  const noParties = { actor: null, accountId: null, clientId: null, address: null, requestId: null };
  return { type: 'token.issued', at: noon, ...noParties, details: {}, ...members };
}

describe('the audit log', () => {
  const batches: AuditRecord[][] = [];
  const lines: string[] = [];
  let isAway = false;
  let audit: Audit | undefined;

  const store = {
    async append(records: readonly AuditRecord[]) {
      await sleep(5);
      if (isAway) throw new Error('the database is away');
      batches.push([...records]);
    },
  };

  function start(options: Partial<AuditOptions> = {}): Audit {
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'test', level: 'info', isPretty: false, destination });
    audit = createAudit({ store, log, flushMs: 20, ...options });
    return audit;
  }

  const written = () => batches.flat().map(({ details }) => details.n);
  const failures = () => lines.filter((line) => line.includes('could not be written yet'));
  const losses = () =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.event === 'audit.lost') as {
      count: number;
    }[];
  const issue = (count: number, to: Audit) =>
    Promise.all(Array.from({ length: count }, (_, n) => to.record(event({ details: { n: String(n) } }))));

  afterEach(async () => {
    isAway = false;
    await audit?.stop();
    for (const list of [batches, lines]) list.length = 0;
  });

  it.each(auditEventTypes.filter((type) => !queuedTypes.includes(type)))(
    'writes %s before the call resolves',
    async (type) => {
      await start({ flushMs: 60_000 }).record(event({ type }));
      expect(batches.flat()).toMatchObject([{ type }]);
    },
  );

  it.each(queuedTypes)(
    'queues %s without waiting for the database, and writes it soon after',
    async (type) => {
      await start().record(event({ type }));
      expect(batches).toEqual([]);
      await vi.waitUntil(() => batches.length === 1, patient);
      expect(batches.flat()).toMatchObject([{ type }]);
    },
  );

  it('writes queued events in batches, in order', async () => {
    await issue(600, start());
    await vi.waitUntil(() => written().length === 600, patient);
    expect(batches.length).toBeLessThanOrEqual(3);
    expect(written()).toEqual(Array.from({ length: 600 }, (_, n) => String(n)));
    const ids = batches.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('writes queued events when it is stopped', async () => {
    const started = start({ flushMs: 60_000 });
    await issue(600, started);
    await started.stop();
    expect(written()).toHaveLength(600);
  });

  it('writes everything once after an outage, including events that should have been written at once', async () => {
    const started = start();
    isAway = true;
    await issue(3, started);
    await started.record(event({ type: 'client.removed', details: { n: 'removed' } }));
    await sleep(60);
    expect(batches).toEqual([]);
    isAway = false;
    await vi.waitUntil(() => written().length === 4, patient);
    expect(written()).toEqual(['0', '1', '2', 'removed']);
    expect(lines.join()).toContain('the database is away');
  });

  it('logs a continuing outage once, not on each attempt', async () => {
    isAway = true;
    const append = vi.spyOn(store, 'append');
    await issue(1, start({ flushMs: 1 }));
    await vi.waitUntil(() => append.mock.calls.length > 5, patient);
    append.mockRestore();
    expect(failures()).toHaveLength(1);
  });

  it('logs a continuing outage again after the quiet period, with a bounded number of attempts', async () => {
    isAway = true;
    const append = vi.spyOn(store, 'append');
    const startedAt = performance.now();
    await issue(1, start({ flushMs: 1, logIntervalMs: 100 }));
    await vi.waitUntil(() => failures().length >= 2, patient);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(100);
    expect(append.mock.calls.length).toBeLessThan(100);
    append.mockRestore();
  });

  it('drops events beyond its capacity and logs their number', async () => {
    isAway = true;
    const started = start({ capacity: 10 });
    await issue(25, started);
    await vi.waitUntil(() => lines.some((line) => line.includes('"event":"audit.lost","count":15')), patient);
    isAway = false;
    await started.stop();
    expect(written()).toEqual(Array.from({ length: 10 }, (_, n) => String(n)));
  });

  it('logs lost records at once, then after each quiet period and at the end', async () => {
    isAway = true;
    const started = start({ capacity: 1, flushMs: 1, logIntervalMs: 200 });
    const startedAt = performance.now();
    let count = 0;
    for (; performance.now() - startedAt < 500; count++) {
      await issue(1, started);
      await sleep(2);
    }
    await started.stop();
    expect(losses().length).toBeGreaterThan(1);
    // At once, at the end, and every 200 ms in between.
    expect(losses().length).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 200);
    expect(losses().reduce((sum, { count }) => sum + count, 0)).toBe(count);
  });
});

describe('record ids', () => {
  it('are ordered by time, and within a millisecond by creation', () => {
    const newId = createRecordIds();
    const ids = [-1, 0, 0, 0, 1].map((ms) => newId(new Date(noon.getTime() + ms)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(5);
    expect(ids.filter((id) => id >= firstIdAt(noon))).toEqual(ids.slice(1));
  });

  it('differ between processes, even for the same millisecond and count', () => {
    const ids = Array.from({ length: 100 }, () => createRecordIds()(noon));
    expect(new Set(ids).size).toBe(100);
  });
});
