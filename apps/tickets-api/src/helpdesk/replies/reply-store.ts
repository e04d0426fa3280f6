import type { Reply } from './reply.ts';

export interface ReplyQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** The page starts after this reply, even if the reply was removed. */
  after?: Pick<Reply, 'created_at' | 'id'>;
  /** Maximum number of replies; at least 1. */
  limit: number;
}

export interface NewestQuery {
  ticketIds: readonly string[];
  isPublicOnly: boolean;
  /** Maximum number of replies per ticket; at least 1. */
  limit: number;
}

/** Read side of replies, which `TicketStore.commit` writes. Returned replies are frozen. */
export interface ReplyStore {
  find(ticketId: string, id: string): Promise<Reply | undefined>;
  /** Returns the existing replies with these ids, of any ticket, in any order. */
  findAll(ids: readonly string[]): Promise<readonly Reply[]>;
  /**
   * Returns replies in order of creation, then of id. The id alone does not define the order, because clients choose
   * ids, and these may contain another time or none. Served by an index.
   */
  list(query: ReplyQuery): Promise<readonly Reply[]>;
  /** Returns the number of replies to a ticket, up to the limit. Served by an index. */
  count(query: Pick<ReplyQuery, 'ticketId' | 'isPublicOnly' | 'limit'>): Promise<number>;
  /**
   * Returns the newest replies of each ticket, newest first, with the tickets in the order of the query. One query,
   * served by an index.
   */
  listNewest(query: NewestQuery): Promise<readonly Reply[]>;
}
