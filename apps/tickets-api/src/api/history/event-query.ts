import { z } from 'zod';
import { auditEventSchema, eventTypes } from '../../helpdesk/history/audit-event.ts';
import {
  type EventPosition,
  type EventSearch,
  eventPositionSchema,
} from '../../helpdesk/history/event-search.ts';
import { ranges } from '../../helpdesk/list/ticket-filter.ts';
import { isUuid } from '../../wire/scalars.ts';
import { createFilters } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { byTime, sortParameter, toSort } from '../lists/sort.ts';

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

/** Query string of `GET /events`. */
export const eventSearchGrammar = createListGrammar({
  owner: { list: 'events', operation: 'listAllEvents' },
  position: eventPositionSchema,
  sort: sortParameter(['created_at'], '-created_at', byTime),
  fields: Object.keys(auditEventSchema.shape),
  filters,
  hasTotal: true,
});

/** Returns the search that a request asks for. A family stands for all of its types. */
export function toEventSearch({ limit, sort, after, conditions }: ListRequest<EventPosition>): EventSearch {
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
