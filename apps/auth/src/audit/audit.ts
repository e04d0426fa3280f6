import { createThrottle, type Metrics, repeatTask } from '@keydesk/server';
import type { Logger } from 'pino';
import type { ExpiringStore } from '../artifacts/purge.ts';
import { type AuditEvent, type AuditEventType, type AuditRecord, auditEventTypes } from './audit-event.ts';
import type { AuditStore } from './audit-store.ts';
import { createRecordIds } from './record-id.ts';

export interface AuditOptions {
  store: Pick<AuditStore, 'append'>;
  log: Logger;
  metrics?: Pick<Metrics, 'counter'> | undefined;
  /** Maximum delay of a queued record; 250 ms by default. */
  flushMs?: number;
  /** Maximum number of queued records; 10,000 by default. */
  capacity?: number;
  /** Interval between repeated log messages, so that they do not fill a full disk. A minute by default. */
  logIntervalMs?: number;
}

/** Write side of the audit log. */
export interface Audit {
  /**
   * Records an event and never rejects, because the event has already happened. Resolves when it is durable; an event
   * of `queuedTypes` resolves at once and is written in a batch within `flushMs`.
   *
   * An event that the database rejects joins the queue, which is retried until it is full. Events dropped then are
   * counted in the log.
   */
  record(event: AuditEvent): Promise<void>;
  /** Writes queued events. Call it after the last event and before the store is closed. */
  stop(): Promise<void>;
}

/**
 * Event types that anyone can cause thousands of times a second, and that change nothing beyond the request. Waiting
 * for a commit would let attackers slow the server down for all users. The last `flushMs` of them are lost if the
 * process is killed or the machine loses power; the request log contains them as well.
 *
 * Every other event is durable before the response.
 */
export const queuedTypes: readonly AuditEventType[] = [
  'account.sign_in_limited',
  'client.authentication_failed',
  'token.issued',
  'token.refused',
];

/** Number of records per commit, which limits how long the event loop is blocked. */
const BATCH = 500;

/**
 * Creates the audit log of a program that ends after one change. An event that cannot be written rejects, so that the
 * user learns of it.
 */
export function createDirectAudit(store: Pick<AuditStore, 'append'>): Pick<Audit, 'record'> {
  const newId = createRecordIds();
  return { record: (event) => store.append([{ id: newId(event.at), ...event }]) };
}

/** Creates the audit log of a server: important events are written at once, frequent ones in batches. */
export function createAudit(options: AuditOptions): Audit {
  const { store, log, metrics, flushMs = 250, capacity = 10_000, logIntervalMs = 60_000 } = options;
  const canLogFailure = createThrottle(logIntervalMs);
  const canLogLoss = createThrottle(logIntervalMs);
  const newId = createRecordIds();
  const isQueued: ReadonlySet<AuditEventType> = new Set(queuedTypes);
  const recorded = metrics?.counter('auth_audit_events_total', 'Events of the audit log', ['type']);
  // Prometheus sees the first event of a type only if its counter began at 0.
  for (const type of auditEventTypes) recorded?.inc({ type }, 0);
  let waiting: AuditRecord[] = [];
  let dropped = 0;
  /** Writes in flight, which `stop` awaits. */
  const inFlight = new Set<Promise<void>>();

  function enqueue(record: AuditRecord): void {
    if (waiting.length < capacity) waiting.push(record);
    else dropped += 1;
  }

  async function writeAtOnce(record: AuditRecord): Promise<void> {
    try {
      await store.append([record]);
    } catch (err) {
      log.error({ err, event: record.type }, 'an audit record could not be written at once');
      enqueue(record);
    }
  }

  /** Writes the queue. Records stay queued until they are durable; `append` skips those already stored. */
  async function flush(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH);
        await store.append(batch);
        waiting = waiting.slice(batch.length);
      }
    } catch (err) {
      if (canLogFailure())
        log.warn({ err, waiting: waiting.length }, 'audit records could not be written yet');
    }
    if (dropped > 0 && canLogLoss()) logLoss();
  }

  function logLoss(): void {
    log.error({ event: 'audit.lost', count: dropped }, 'audit records were lost');
    dropped = 0;
  }

  const flushing = repeatTask(flush, { intervalMs: flushMs });
  return {
    async record(event) {
      recorded?.inc({ type: event.type });
      const record = { id: newId(event.at), ...event };
      if (isQueued.has(event.type)) return enqueue(record);
      const writing = writeAtOnce(record).finally(() => inFlight.delete(writing));
      inFlight.add(writing);
      await writing;
    },
    async stop() {
      await flushing.stop();
      await Promise.all(inFlight);
      await flush();
      dropped += waiting.length;
      if (dropped > 0) logLoss();
    },
  };
}

const ONE_DAY_MS = 86_400_000;

/**
 * Makes the audit log a store for the purge job: records expire after the retention period; 0 days keeps them forever.
 */
export function createAuditRetention(store: Pick<AuditStore, 'prune'>, retentionDays: number): ExpiringStore {
  return {
    purgeExpired: async (now, limit) =>
      retentionDays === 0 ? 0 : store.prune(new Date(now.getTime() - retentionDays * ONE_DAY_MS), limit),
  };
}
