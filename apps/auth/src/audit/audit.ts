import { createPace } from '@keydesk/http';
import type { Logger } from 'pino';
import { repeat } from '../provider/repeat.ts';
import type { AuditEvent, AuditEventType, AuditRecord } from './audit-event.ts';
import type { AuditStore } from './audit-store.ts';
import { createRecordIds } from './record-id.ts';

export interface AuditOptions {
  store: Pick<AuditStore, 'append'>;
  log: Logger;
  /** How long a queued record waits at most; 250 ms by default. */
  flushMs?: number;
  /** How many records may wait; 10,000 by default. */
  capacity?: number;
  /** What goes on is told again after this time: a full disk must not be filled by telling of it. A minute by default. */
  quietMs?: number;
}

/** The audit record as those use it who have something to tell. */
export interface Audit {
  /**
   * Takes an event into the record, and never rejects: what it tells has happened. Resolves when it is durable; an
   * event of `queuedTypes` resolves at once and is written within `flushMs`, with all that came in meanwhile.
   *
   * An event that the database does not take waits with the queued ones, which are tried again until there is no
   * room for more; those that are dropped then are counted in the log.
   */
  record(event: AuditEvent): Promise<void>;
  /** Writes what waits. Call it when nothing is recorded any more, and before the store is closed. */
  stop(): Promise<void>;
}

/**
 * What anybody can make happen thousands of times a second, and what changes nothing that outlives the request: to
 * wait for a commit would be a way to slow down the server for everybody. The last `flushMs` of them are lost when
 * the process is killed or the machine loses power; the line of each request tells of them too.
 *
 * Every other event is durable before the caller answers.
 */
export const queuedTypes: readonly AuditEventType[] = [
  'account.sign_in_limited',
  'client.authentication_failed',
  'token.issued',
  'token.refused',
];

/** How many records one commit takes: it bounds how long the event loop is kept. */
const BATCH = 500;

/** For a program that ends after one change: an event that cannot be written rejects, so that somebody is told. */
export function createDirectAudit(store: Pick<AuditStore, 'append'>): Pick<Audit, 'record'> {
  const newId = createRecordIds();
  return { record: (event) => store.append([{ id: newId(event.at), ...event }]) };
}

/** Writes events to the store: at once those that matter, in batches those that are many. */
export function createAudit(options: AuditOptions): Audit {
  const { store, log, flushMs = 250, capacity = 10_000, quietMs = 60_000 } = options;
  const mayTellOfFailure = createPace(quietMs);
  const mayTellOfLoss = createPace(quietMs);
  const newId = createRecordIds();
  const isQueued: ReadonlySet<AuditEventType> = new Set(queuedTypes);
  let waiting: AuditRecord[] = [];
  let dropped = 0;
  /** What nobody may be waiting for but `stop`. */
  const underWay = new Set<Promise<void>>();

  function enqueue(record: AuditRecord): void {
    if (waiting.length < capacity) waiting.push(record);
    else dropped += 1;
  }

  async function writeAtOnce(record: AuditRecord): Promise<void> {
    try {
      await store.append([record]);
    } catch (err) {
      log.error({ err, event: record.type }, 'the audit record could not be written at once');
      enqueue(record);
    }
  }

  /** Records stay in the queue until they are durable; `append` passes over what a lost answer left behind. */
  async function flush(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH);
        await store.append(batch);
        waiting = waiting.slice(batch.length);
      }
    } catch (err) {
      if (mayTellOfFailure())
        log.warn({ err, waiting: waiting.length }, 'the audit record could not be written yet');
    }
    if (dropped > 0 && mayTellOfLoss()) tellOfLoss();
  }

  function tellOfLoss(): void {
    log.error({ event: 'audit.lost', count: dropped }, 'audit records were lost');
    dropped = 0;
  }

  const flushing = repeat(flush, flushMs);
  return {
    async record(event) {
      const record = { id: newId(event.at), ...event };
      if (isQueued.has(event.type)) return enqueue(record);
      const writing = writeAtOnce(record).finally(() => underWay.delete(writing));
      underWay.add(writing);
      await writing;
    },
    async stop() {
      await flushing.stop();
      await Promise.all(underWay);
      await flush();
      dropped += waiting.length;
      if (dropped > 0) tellOfLoss();
    },
  };
}
