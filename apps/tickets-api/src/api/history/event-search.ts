import { z } from 'zod';
import { auditEventSchema, eventTypes, type StoredEvent } from '../../helpdesk/history/audit-event.ts';
import { type Condition, ranges } from '../../helpdesk/list/ticket-filter.ts';
import { outputTimestamp } from '../../wire/timestamp.ts';
import { isUuid } from '../../wire/uuid.ts';
import { createFilters } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { byTime, sortParameter, toSort } from '../lists/sort.ts';

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

/** Words for all types of events of one kind of resource. */
const families = auditEventSchema.shape.resource.shape.type.options;

const filters = createFilters(
  {
    actor: { kind: 'actor', operators: ['any'] },
    client_id: { kind: 'client', operators: ['any'] },
    type: { kind: 'type', words: [...families, ...eventTypes], operators: ['any'] },
    ticket_id: { kind: 'ticket', operators: ['any'] },
    created_at: { kind: 'time', operators: ranges },
  },
  {
    actor: z
      .string()
      .regex(/^[\x21-\x7E]{1,255}$/, 'must be the id of a person or client, system, or me')
      .transform((id) => (isUuid(id) ? id.toLowerCase() : id)),
    client: z.string().regex(/^[\x21-\x7E]{1,255}$/, 'must be the id of a client'),
    ticket: z.uuid('must be the id of a ticket').toLowerCase(),
  },
);

/** The query string of `GET /events`. */
export const eventSearchGrammar = createListGrammar({
  owner: { list: 'events', operation: 'listAllEvents' },
  position: eventPlaceSchema,
  sort: sortParameter(['created_at'], '-created_at', byTime),
  fields: Object.keys(auditEventSchema.shape),
  filters,
  hasTotal: true,
});

/** The search that a request asks for. A family of types stands for all of its types. */
export function toEventSearch({ limit, sort, after, conditions }: ListRequest<EventPlace>): EventSearch {
  const { type, ...filter } = conditions;
  const types = eventTypes.filter((each) =>
    type?.any?.some((given) => each === given || each.startsWith(`${given}.`)),
  );
  return {
    filter: { ...filter, ...(type && { type: { any: types } }) },
    direction: toSort(sort as 'created_at').direction,
    limit,
    ...(after && { after }),
  };
}
