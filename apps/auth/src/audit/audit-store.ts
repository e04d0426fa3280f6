import type { AuditEventType, AuditRecord } from './audit-event.ts';

/** Filters and page of a list; every given filter applies. */
export interface AuditPage {
  types?: readonly AuditEventType[] | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
  /** Start of the range, inclusive, to the millisecond. */
  since?: Date | undefined;
  /** End of the range, exclusive. */
  until?: Date | undefined;
  /** Id of the last record of the previous page; only older records are returned. */
  beforeId?: string | undefined;
  limit: number;
}

/**
 * Database port of the audit log. Safe under many processes; writes resolve when durable; failures of the engine reject
 * with `AppError('unavailable')`. Records never change, except by `deleteEmailAddresses`.
 */
export interface AuditStore {
  /**
   * Stores records in one durable write. Existing ones are skipped, so that an append with an unknown outcome can be
   * retried.
   */
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Returns up to `limit` records, newest first, in the order of ids. */
  list(page: AuditPage): Promise<readonly AuditRecord[]>;
  /** Clears the details of an account's records of `typesWithEmailAddresses`. */
  deleteEmailAddresses(accountId: string): Promise<void>;
  /** Deletes up to `limit` records before an instant, and resolves with their number. Safe in several processes. */
  prune(before: Date, limit: number): Promise<number>;
}
