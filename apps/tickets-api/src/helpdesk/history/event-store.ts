import type { EventRecord } from './audit-event.ts';
import type { EventPosition, EventSearch } from './event-search.ts';

export interface EventQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** The page begins just behind this event. Ids are UUIDv7, so their order is that of creation. */
  after?: string;
  /** At least 1. */
  limit: number;
}

/**
 * Read side of the audit log. Events are written in the transaction of their change (`TicketStore.commit`,
 * `AuditedWrite`), and are immutable.
 */
export interface EventStore {
  /** In order of id. Served by an index. */
  list(query: EventQuery): Promise<readonly EventRecord[]>;
  /** The number of events of a ticket, up to the limit. Served by an index. */
  countOf(query: Pick<EventQuery, 'ticketId' | 'isPublicOnly' | 'limit'>): Promise<number>;
  /** Events of all tickets, deleted ones too, and of definitions, in order of time and id. An index leads to them in order. */
  search(query: EventSearch): Promise<readonly EventRecord[]>;
  /**
   * Returns the position that a search reaches after `steps` events of its index, whether they match all conditions or
   * not; `undefined` when there are fewer events, or when the index covers all conditions. As `until`, it bounds the
   * work of a page.
   */
  findStep(query: EventSearch, steps: number): Promise<EventPosition | undefined>;
  /** The number of events that a search finds, up to its limit. */
  count(query: EventSearch): Promise<number>;
}
