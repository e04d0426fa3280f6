/** Who reads a change feed: all of staff share one; a customer, by the id of their person, has their own. */
export type Reader = 'staff' | (string & {});

/** What a commit changes of what one reader sees. */
export interface Sighting {
  readonly reader: Reader;
  readonly resource: 'ticket' | 'reply';
  readonly id: string;
  readonly ticketId: string;
  /** It is no longer there for this reader: deleted, or no longer theirs to see. */
  readonly isGone: boolean;
}

/**
 * One line of a reader's feed. Of each resource only the latest is kept, so a feed is as long as what its reader has
 * seen, however often it was changed.
 */
export interface Change extends Sighting {
  /** Grows from 1 by commit, within the feed of this reader alone: it tells nothing of what others do. */
  readonly position: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
}
