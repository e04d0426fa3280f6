import type { EventRecord } from '../history/audit-event.ts';

/** What somebody's data is found by. */
export interface Needles {
  /** In lower case; found in any case. */
  email: string;
  /** `undefined` where nobody has the address (any longer). */
  personId: string | undefined;
}

export interface Scan {
  /** Tickets, deleted ones too, that tell of them, themselves or by their replies or events. */
  ticketIds: readonly string[];
  /** The last ticket that was looked at; `undefined` when there are no more. */
  last: string | undefined;
}

/**
 * What erasing needs of a database besides what the API does. All of it may be broken off and done again.
 * Failures of the engine reject with `AppError('unavailable')`.
 */
export interface ErasureStore {
  /** Looks at up to `limit` tickets behind one, in order of id. What it finds may be another's longer address. */
  scan(needles: Needles, page: { after: string; limit: number }): Promise<Scan>;
  /** Replaces events of a ticket, or of none, by their ids: the one case in which history is rewritten. */
  rewriteEvents(ticketId: string | null, events: readonly EventRecord[]): Promise<void>;
  /** Deletes what is kept to answer requests that are repeated, where it holds the address. */
  removeRequestRecords(email: string): Promise<void>;
  /** Overwrites what the engine has kept of former contents, as far as that can be asked of it. Writers wait meanwhile. */
  compact(): Promise<void>;
}
