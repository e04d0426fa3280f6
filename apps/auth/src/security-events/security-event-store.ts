import type { RejectionCode, SecurityEvent } from './security-event.ts';

/** One page of a list of events. */
export interface SecurityEventPage {
  /** Id of the last event of the previous page. */
  afterId?: string | undefined;
  limit: number;
}

/**
 * Queue of security events per receiver, shared by many processes. Writes resolve when durable; engine failures reject
 * with `AppError('unavailable')`.
 */
export interface SecurityEventStore {
  /** Adds events in one durable write, all or none. */
  append(events: readonly SecurityEvent[]): Promise<void>;
  /**
   * Returns up to `limit` events for a receiver, ordered by id: available, not expired, not rejected. They stay in
   * the queue until they are acknowledged, so concurrent calls return the same events. Served by an index.
   */
  listDue(receiver: string, now: Date, limit: number): Promise<readonly SecurityEvent[]>;
  /**
   * Removes events of a receiver from the queue and returns them. Exactly one of several concurrent calls receives an
   * event. Unknown ids and events of other receivers are ignored.
   */
  acknowledge(receiver: string, ids: readonly string[]): Promise<readonly SecurityEvent[]>;
  /**
   * Marks an event of a receiver as rejected and returns it. Returns `undefined` if it was already rejected or
   * acknowledged, or belongs to another receiver.
   */
  reject(receiver: string, id: string, code: RejectionCode): Promise<SecurityEvent | undefined>;
  /** Delivers a rejected event again. Resolves with `false` if no such event is rejected. */
  retry(id: string): Promise<boolean>;
  /** Lists all events by id, including rejected ones. */
  list(page: SecurityEventPage): Promise<readonly SecurityEvent[]>;
  /** Deletes up to `limit` events that have expired at `now`, and resolves with their number. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
