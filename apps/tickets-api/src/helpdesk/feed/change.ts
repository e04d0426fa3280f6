/** Reader of a change feed: `staff` share one feed; a customer's feed has the id of the person. */
export type Reader = 'staff' | (string & {});

/** Feed entry that a commit writes for one reader. */
export interface FeedEntry {
  readonly reader: Reader;
  readonly resource: 'ticket' | 'reply';
  readonly id: string;
  readonly ticketId: string;
  /** Whether this is a tombstone: the resource was deleted, or the reader may no longer see it. */
  readonly isDeleted: boolean;
}

/**
 * Change in the feed of a reader. Only the latest change of each resource is kept, so the size of a feed is bounded by
 * the number of resources that its reader has seen.
 */
export interface Change extends FeedEntry {
  /**
   * Increases from 1, separately for each reader, so that it reveals nothing about other feeds. Changes of one ticket are
   * in the order of their commits.
   */
  readonly position: number;
  /** RFC 3339 time in UTC with milliseconds. */
  readonly at: string;
}
