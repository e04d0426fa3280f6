/** A tag and the number of tickets with it that are not deleted (at least 1). */
export interface TagCount {
  readonly name: string;
  readonly count: number;
}

/** The order of a list of tags: by name, or by number of tickets with ties by name in the opposite direction. */
export interface TagSort {
  field: 'count' | 'name';
  direction: 'asc' | 'desc';
}

export interface TagQuery {
  /** Prefix of the name. */
  prefix?: string | undefined;
  sort: TagSort;
  /** The page begins after this position. */
  after?: TagCount | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * Store of the tags of tickets. `TicketStore.commit` updates the counts in its transaction, so they stay correct in
 * races, and the cost of reading them does not grow with the number of tickets.
 */
export interface TagStore {
  /** Lists tags; names sort by code point. */
  list(query: TagQuery): Promise<readonly TagCount[]>;
  /** Counts the tags that begin with the prefix, up to the limit. */
  count(query: Pick<TagQuery, 'prefix' | 'limit'>): Promise<number>;
}
