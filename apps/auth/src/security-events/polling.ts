import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Audit } from '../audit/audit.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { PollRequest } from './poll-request.ts';
import type { SecurityEvent } from './security-event.ts';
import type { SecurityEventStore } from './security-event-store.ts';
import type { SignSecurityEvent } from './security-event-token.ts';

export interface PollingOptions {
  store: Pick<SecurityEventStore, 'listDue' | 'acknowledge' | 'reject'>;
  sign: SignSecurityEvent;
  audit: Pick<Audit, 'record'>;
  log: Pick<Logger, 'error'>;
  now: () => Date;
  /** Called per event that a receiver accepts or rejects; feeds a metric. */
  onOutcome?: ((outcome: 'acknowledged' | 'rejected') => void) | undefined;
  /** Time in milliseconds that a poll waits for an event; 20 s by default, less than the limits of common proxies. */
  waitMs?: number | undefined;
}

/** A receiver of events, and the origin of its request. */
export interface Receiver {
  clientId: string;
  address: string;
  requestId: string | null;
}

/** RFC 8936 §2.3 */
export interface PollResponse {
  /** Signed tokens by `jti`. */
  sets: Readonly<Record<string, string>>;
  moreAvailable?: true;
}

/** Delivers events to receivers that poll (RFC 8936). */
export interface Polling {
  /**
   * Records acknowledgements and rejections, then returns the next events. Without any it waits, unless the receiver
   * declines that, until one arrives or the signal is aborted.
   */
  poll(receiver: Receiver, request: PollRequest, signal: AbortSignal): Promise<PollResponse>;
  /** Ends all waits; later polls respond at once. */
  endWaits(): void;
}

const WAIT_MS = 20_000;
/** Interval of the queries of a waiting poll; another process may have queued the event. */
const QUERY_INTERVAL_MS = 500;
/** Waiting polls per receiver and process; further ones respond at once. */
const MAX_WAITING = 10;

export function createPolling(options: PollingOptions): Polling {
  const { store, sign, now, waitMs = WAIT_MS } = options;
  const stopping = new AbortController();
  const waiting = new Map<string, number>();

  const countWaiting = (clientId: string, change: number) =>
    waiting.set(clientId, (waiting.get(clientId) ?? 0) + change);

  /** Returns the events that are due, one more than the limit if there are more. */
  async function waitForDue(clientId: string, limit: number, signal: AbortSignal) {
    const giveUpAt = performance.now() + waitMs;
    for (;;) {
      const due = await store.listDue(clientId, now(), limit + 1);
      if (due.length > 0 || signal.aborted || performance.now() >= giveUpAt) return due;
      await sleep(QUERY_INTERVAL_MS, undefined, { signal }).catch(ignoreAbort);
    }
  }

  async function findDue(
    clientId: string,
    { maxEvents, returnImmediately }: PollRequest,
    signal: AbortSignal,
  ) {
    if (maxEvents === 0) return [];
    if (returnImmediately || (waiting.get(clientId) ?? 0) >= MAX_WAITING)
      return store.listDue(clientId, now(), maxEvents + 1);
    countWaiting(clientId, 1);
    try {
      return await waitForDue(clientId, maxEvents, AbortSignal.any([signal, stopping.signal]));
    } finally {
      countWaiting(clientId, -1);
    }
  }

  const settle = createSettlement(options);
  return {
    async poll(receiver, request, signal) {
      await settle(receiver, request);
      const due = await findDue(receiver.clientId, request, signal);
      const delivered = due.slice(0, request.maxEvents);
      const sets = await Promise.all(delivered.map(async (event) => [event.id, await sign(event)] as const));
      return {
        sets: Object.fromEntries(sets),
        ...(due.length > delivered.length && { moreAvailable: true }),
      };
    },
    endWaits: () => stopping.abort(),
  };
}

/** Creates the function that records what a receiver says about earlier events (RFC 8936 §2.4). */
function createSettlement({ store, audit, log, now, onOutcome }: PollingOptions) {
  const record = (receiver: Receiver, event: SecurityEvent, outcome: Pick<AuditEvent, 'type' | 'details'>) =>
    audit.record({
      at: now(),
      actor: receiver.clientId,
      accountId: event.accountId,
      clientId: receiver.clientId,
      address: receiver.address,
      requestId: receiver.requestId,
      ...outcome,
    });

  return async function settle(receiver: Receiver, { acknowledged, rejected }: PollRequest): Promise<void> {
    const { clientId } = receiver;
    for (const event of acknowledged.length > 0 ? await store.acknowledge(clientId, acknowledged) : []) {
      onOutcome?.('acknowledged');
      const details = { event: event.type, jti: event.id };
      await record(receiver, event, { type: 'security_event.acknowledged', details });
    }
    for (const { id, code } of rejected) {
      const event = await store.reject(clientId, id, code);
      if (!event) continue;
      onOutcome?.('rejected');
      log.error({ client_id: clientId, jti: id, error: code }, 'a receiver rejected a security event');
      const details = { event: event.type, jti: id, error: code };
      await record(receiver, event, { type: 'security_event.rejected', details });
    }
  };
}

function ignoreAbort(err: unknown): void {
  if (!(err instanceof Error && err.name === 'AbortError')) throw err;
}
