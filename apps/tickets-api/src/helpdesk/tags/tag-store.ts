/** A tag, and how many tickets have it that are not deleted: at least 1. */
export interface TagCount {
  readonly name: string;
  readonly count: number;
}

/** The order of a list of tags: by number of tickets, of equals by name in the opposite direction; or by name. */
export interface TagSort {
  field: 'count' | 'name';
  direction: 'asc' | 'desc';
}

export interface TagQuery {
  /** What the name begins with. */
  prefix?: string | undefined;
  sort: TagSort;
  /** The page begins just behind this place. */
  after?: TagCount | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * The tags that tickets have. They are counted by `TicketStore.commit`, in its transaction, so that the counts are those
 * of the tickets whoever races, and reading them costs nothing that grows with the tickets.
 */
export interface TagStore {
  /** Names are in order of their code points. */
  list(query: TagQuery): Promise<readonly TagCount[]>;
  /** The number of tags that begin with the prefix, up to the limit. */
  count(query: Pick<TagQuery, 'prefix' | 'limit'>): Promise<number>;
}
