import type { EventRecord } from '../history/audit-event.ts';

/** Address and id of the person to erase. */
export interface ErasureTarget {
  /** Address in lower case; matches in any case. */
  email: string;
  /** Id of the person; `undefined` if no person has the address. */
  personId: string | undefined;
}

export interface Scan {
  /** Ids of tickets, including deleted ones, whose content, replies or events contain the address or the id. */
  ticketIds: readonly string[];
  /** Id of the last examined ticket; `undefined` at the end. */
  last: string | undefined;
}

/**
 * Database operations of an erasure beyond those of the API. All of them can be interrupted and repeated. Failures of
 * the engine reject with `AppError('unavailable')`.
 */
export interface ErasureStore {
  /** Scans up to `limit` tickets after a given one, in order of id. May return tickets that contain a longer address. */
  scan(needles: ErasureTarget, page: { after: string; limit: number }): Promise<Scan>;
  /** Replaces events, of one ticket or of definitions (null), by id. Only an erasure rewrites history. */
  rewriteEvents(ticketId: string | null, events: readonly EventRecord[]): Promise<void>;
  /**
   * Deletes what still contains the address after the tickets are rewritten: stored answers of idempotent requests, and
   * a tag that no ticket has.
   */
  removeRemains(email: string): Promise<void>;
  /** Overwrites deleted data where the engine supports it. Blocks writers until it is done. */
  compact(): Promise<void>;
}
