import type { Reply } from './reply.ts';

export interface ReplyQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** The page begins just behind this reply, or where it was. */
  after?: Pick<Reply, 'created_at' | 'id'>;
  /** At least 1. */
  limit: number;
}

export interface NewestQuery {
  ticketIds: readonly string[];
  isPublicOnly: boolean;
  /** Of each ticket; at least 1. */
  limit: number;
}

/** Replies are written by `TicketStore.commit` alone. Those handed out are frozen. */
export interface ReplyStore {
  find(ticketId: string, id: string): Promise<Reply | undefined>;
  /** The replies with these ids that there are, to whichever tickets, in any order. */
  findAll(ids: readonly string[]): Promise<readonly Reply[]>;
  /**
   * In order of creation, by id within a millisecond: clients choose ids, which may tell another time or none. Served by
   * an index.
   */
  list(query: ReplyQuery): Promise<readonly Reply[]>;
  /** The number of replies to a ticket, up to the limit. Served by an index. */
  count(query: Pick<ReplyQuery, 'ticketId' | 'isPublicOnly' | 'limit'>): Promise<number>;
  /** Of each ticket the newest, newest first; the tickets in the order of the query. One query, served by an index. */
  listNewest(query: NewestQuery): Promise<readonly Reply[]>;
}
