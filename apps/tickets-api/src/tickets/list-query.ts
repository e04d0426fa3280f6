import { z } from 'zod';
import { invalidCursor, oneOf, pageParameters, parseParameters } from '../http/query-parameters.ts';
import { emailAddress } from '../people/person.ts';
import { decodeCursor } from './cursor.ts';
import { ticketPriorities, ticketStatuses, ticketTypes } from './ticket.ts';
import type { TicketFilter, TicketQuery, TicketSort, TimeRange } from './ticket-store.ts';

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;
const rangeOperators = { gte: 'At or after', gt: 'After', lte: 'At or before', lt: 'Before' } as const;

const time = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 time such as 2026-01-31T09:00:00Z' })
  .transform((text) => new Date(text).toISOString());

const rangeParameters = Object.fromEntries(
  ['created_at', 'updated_at'].flatMap((field) =>
    Object.entries(rangeOperators).map(([operator, meaning]) => [
      `${field}[${operator}]`,
      time.optional().describe(`${meaning} this time`),
    ]),
  ),
);

/** The query parameters of `GET /tickets`. */
export const parametersSchema = z.object({
  ...pageParameters,
  sort: oneOf(sorts).default('-created_at').describe('`-` is newest first; ties are broken by id'),
  status: oneOf(ticketStatuses).optional().describe('Tickets that have come this far'),
  priority: oneOf(ticketPriorities).optional().describe('Tickets that matter this much'),
  type: oneOf(ticketTypes).optional().describe('Tickets of this kind'),
  assignee: emailAddress.optional().describe('Tickets that this person works on'),
  requester: emailAddress.optional().describe('Tickets that this person asked for'),
  tag: z.string().min(1).max(64).optional().describe('Tickets that carry this tag'),
  deleted: oneOf(['true', 'false'])
    .default('false')
    .describe('The deleted tickets instead, for agents and administrators'),
  ...rangeParameters,
});

/** Their names. */
export const listParameters: readonly string[] = Object.keys(parametersSchema.shape);

/**
 * Reads the query string of a list.
 *
 * @throws {AppError} `validation_failed`, naming every unknown, repeated or faulty parameter at once.
 */
export function parseListQuery(queryString: string): TicketQuery {
  const { limit, cursor, sort, deleted, ...rest } = parseParameters(parametersSchema, queryString);
  const isDeleted = deleted === 'true';
  const query: TicketQuery = {
    filter: toFilter(rest),
    sort: toSort(sort),
    limit,
    ...(isDeleted && { isDeleted }),
  };
  if (cursor === undefined) return query;
  const after = decodeCursor(cursor, query);
  if (!after) throw invalidCursor();
  return { ...query, after };
}

function toSort(sort: (typeof sorts)[number]): TicketSort {
  return {
    field: sort.replace('-', '') as TicketSort['field'],
    direction: sort.startsWith('-') ? 'desc' : 'asc',
  };
}

/** `created_at[gte]` and its like become one range a field; everything else is a filter as it is. */
function toFilter(parameters: Readonly<Record<string, unknown>>): TicketFilter {
  const filter: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const range = /^(created_at|updated_at)\[(\w+)\]$/.exec(name);
    if (!range) filter[name] = value;
    else filter[String(range[1])] = { ...(filter[String(range[1])] as TimeRange), [String(range[2])]: value };
  }
  return filter;
}
