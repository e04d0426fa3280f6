import { z } from 'zod';
import { outputTimestamp } from '../../wire/schema/scalars.ts';
import type { Condition, ranges } from '../list/ticket-filter.ts';
import type { StoredEvent } from './audit-event.ts';

/** Position in a list of events. */
export const eventPositionSchema = z.strictObject({ created_at: outputTimestamp, id: z.uuid() });
export type EventPosition = z.output<typeof eventPositionSchema>;

/** Filters of events; an event matches if it satisfies all of them. */
export interface EventFilter {
  /** Ids of people and clients; `system` is the helpdesk itself. */
  actor?: Pick<Condition, 'any'>;
  client_id?: Pick<Condition, 'any'>;
  type?: Pick<Condition<StoredEvent['type']>, 'any'>;
  ticket_id?: Pick<Condition, 'any'>;
  created_at?: Pick<Condition, (typeof ranges)[number]>;
}

/** Query of a page of the events of all tickets, sorted by time, then by id. */
export interface EventSearch {
  filter: EventFilter;
  direction: 'asc' | 'desc';
  /** The page starts after this position. */
  after?: EventPosition;
  /** The page ends with this position at the latest. */
  until?: EventPosition;
  /** Maximum number of events; at least 1. */
  limit: number;
}

/** Filters in order of selectivity, most selective first; each has an index. */
const byNarrowness = ['ticket_id', 'actor', 'type'] as const;
export type EventDriver = (typeof byNarrowness)[number];

/** Returns the filter whose index selects the events; the others are checked for each event. */
export function findEventDriver({ filter }: Pick<EventSearch, 'filter'>): EventDriver | undefined {
  return byNarrowness.find((name) => filter[name]?.any);
}

/** Whether the selecting index covers all conditions. */
export function isServedByIndex(search: Pick<EventSearch, 'filter'>): boolean {
  const driver = findEventDriver(search);
  return Object.keys(search.filter).every((name) => name === driver || name === 'created_at');
}
