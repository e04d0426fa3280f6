import type { AuditEventType, AuditRecord } from './audit-event.ts';

/** Which records a list has: those that pass every filter that is set. */
export interface AuditPage {
  types?: readonly AuditEventType[] | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
  /** The first instant, to the millisecond. */
  since?: Date | undefined;
  /** The first instant that is too late. */
  until?: Date | undefined;
  /** Only records older than the one of this id, which is the last of the page before. */
  beforeId?: string | undefined;
  limit: number;
}

/**
 * What the audit record needs of a database. Safe under many processes; writes resolve when durable; failures of the
 * engine reject with `AppError('unavailable')`. Records never change, but for `forgetAddresses`.
 */
export interface AuditStore {
  /**
   * Keeps records, all in one durable write. Those that are kept already are passed over, so that it can be tried
   * again after a failure that left open what was written.
   */
  append(records: readonly AuditRecord[]): Promise<void>;
  /** The newest records first, by id; up to `limit` of them. */
  list(page: AuditPage): Promise<readonly AuditRecord[]>;
  /** Empties the details of an account's records of `typesWithAddresses`. */
  forgetAddresses(accountId: string): Promise<void>;
  /** Deletes up to `limit` records from before an instant; resolves with how many. Safe in several processes. */
  prune(before: Date, limit: number): Promise<number>;
}
