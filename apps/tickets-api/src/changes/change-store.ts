import type { Change, Reader } from './change.ts';

/** The bounds of a feed: 0 where nothing was written yet, or nothing forgotten. */
export interface FeedBounds {
  /** The latest position that was given out. */
  last: number;
  /** A reader at a position before this one may have missed a tombstone and has to start over. */
  forgotten: number;
}

/** More than any feed moves between a backup and its restoration; a feed can be restarted nine million times. */
export const RESTART_GAP = 1_000_000_000;

/** Changes are written by `TicketStore.commit` alone. */
export interface ChangeStore {
  /**
   * Changes behind a position, in order. What is handed out is complete: a change that is committed later, by whatever
   * process, has a later position. Served by an index.
   */
  list(query: { reader: Reader; after: number; limit: number }): Promise<readonly Change[]>;
  bounds(reader: Reader): Promise<FeedBounds>;
  /** Deletes up to `limit` changes whose resource was gone before this time, and tells how many it has deleted. */
  forgetGone(before: Date, limit: number): Promise<number>;
  /**
   * Moves the end of every feed far ahead and forgets what is before it, so that every position that was given out has
   * expired; those too that this database, which was restored from a backup, does not know of. A feed that it does not
   * know of at all begins as any does. Renews the epoch.
   */
  restart(): Promise<void>;
  /** A random text of hexadecimal digits, which stays the same until the database is restored from a backup. */
  epoch(): Promise<string>;
}
