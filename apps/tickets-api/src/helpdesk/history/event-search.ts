import { z } from 'zod';
import { outputTimestamp } from '../../wire/timestamp.ts';
import type { Condition, ranges } from '../list/ticket-filter.ts';
import type { StoredEvent } from './audit-event.ts';

/** A position in a list of events. */
export const eventPlaceSchema = z.strictObject({ created_at: outputTimestamp, id: z.uuid() });
export type EventPlace = z.output<typeof eventPlaceSchema>;

/** Conditions on events. All that are given must hold. */
export interface EventFilter {
  /** Ids of people and clients; `system` is the helpdesk itself. */
  actor?: Pick<Condition, 'any'>;
  client_id?: Pick<Condition, 'any'>;
  type?: Pick<Condition<StoredEvent['type']>, 'any'>;
  ticket_id?: Pick<Condition, 'any'>;
  created_at?: Pick<Condition, (typeof ranges)[number]>;
}

/** A page of the events of all tickets, in order of their time and, of one time, of their id. */
export interface EventSearch {
  filter: EventFilter;
  direction: 'asc' | 'desc';
  /** The page begins just behind this place. */
  after?: EventPlace;
  /** The page ends with this place at the latest. */
  until?: EventPlace;
  /** At least 1. */
  limit: number;
}

/** From the filter that usually leaves the fewest events to the one that leaves the most; each has an index. */
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
