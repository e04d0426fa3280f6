import type { Change, Reader } from './change.ts';

/** Bounds of a feed. */
export interface FeedBounds {
  /** Latest position in use; 0 for an empty feed. */
  last: number;
  /** Readers at an earlier position may have missed a tombstone and must start over; 0 if none was purged. */
  purgedUpTo: number;
}

/** Distance of a restart: more positions than a feed uses between a backup and its restoration. */
export const RESTART_GAP = 1_000_000_000;

/** Change store. Only `TicketStore.commit` writes changes. */
export interface ChangeStore {
  /**
   * Lists changes after a position, in order. The result contains everything committed before the call, and what is
   * committed later, by any process and however long that takes, has a later position. Served by an index.
   */
  list(query: { reader: Reader; after: number; limit: number }): Promise<readonly Change[]>;
  bounds(reader: Reader): Promise<FeedBounds>;
  /** Deletes up to `limit` tombstones older than this time and returns their number. */
  purgeTombstones(before: Date, limit: number): Promise<number>;
  /**
   * Moves the end of every feed far ahead, so that all earlier positions expire. That includes positions unknown to
   * this database because it was restored from a backup. A feed unknown to it begins like a new one. Renews the epoch.
   */
  restart(): Promise<void>;
  /** Returns random hexadecimal digits that stay the same until the database is restored from a backup. */
  epoch(): Promise<string>;
}
