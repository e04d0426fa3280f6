import type { EventRecord } from './audit-event.ts';
import type { EventPlace, EventSearch } from './event-search.ts';

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
 * Read side of the audit log. Events are written with what they are about (`TicketStore.commit`, `AuditedWrite`), and never
 * change.
 */
export interface EventStore {
  /** In order of id. Served by an index. */
  list(query: EventQuery): Promise<readonly EventRecord[]>;
  /** The number of events of a ticket, up to the limit. Served by an index. */
  countOf(query: Pick<EventQuery, 'ticketId' | 'isPublicOnly' | 'limit'>): Promise<number>;
  /** Events of all tickets, deleted ones too, and of definitions, in order of time and id. An index leads to them in order. */
  search(query: EventSearch): Promise<readonly EventRecord[]>;
  /**
   * The place that a search reaches after `steps` of the events that its index leads to, whether all conditions hold for
   * them or not; `undefined` when there are fewer, or when the index knows of all conditions. With this as `until`, the
   * work of a page is bounded.
   */
  findStep(query: EventSearch, steps: number): Promise<EventPlace | undefined>;
  /** The number of events that a search finds, up to its limit. */
  count(query: EventSearch): Promise<number>;
}
