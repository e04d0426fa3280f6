import type { EventRecord } from './ticket-event.ts';

export interface EventQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** The page begins just behind this event. Ids are UUIDv7, so their order is that of creation. */
  after?: string;
  /** At least 1. */
  limit: number;
}

/** Events are written by `TicketStore.commit` alone, and never change. */
export interface EventStore {
  /** In order of id. Served by an index. */
  list(query: EventQuery): Promise<readonly EventRecord[]>;
}
