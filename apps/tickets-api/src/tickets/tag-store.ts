/** A tag, and how many tickets have it that are not deleted: at least 1. */
export interface TagCount {
  readonly name: string;
  readonly count: number;
}

export interface TagQuery {
  /** What the name begins with. */
  prefix?: string;
  /** The page begins just behind this place. */
  after?: TagCount;
  /** At least 1. */
  limit: number;
}

/**
 * The tags that tickets have. They are counted by `TicketStore.commit`, in its transaction, so that the counts are those
 * of the tickets whoever races, and reading them costs nothing that grows with the tickets.
 */
export interface TagStore {
  /** The most frequent first, ties in order of the code points of the name. */
  list(query: TagQuery): Promise<readonly TagCount[]>;
}
