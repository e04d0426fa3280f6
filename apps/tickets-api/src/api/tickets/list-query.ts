import { z } from 'zod';
import type { DefinitionSet } from '../../helpdesk/definitions/definition-set.ts';
import type { TicketFilter } from '../../helpdesk/list/ticket-filter.ts';
import { MAX_QUERY_LENGTH, parseSearch, searchPattern } from '../../helpdesk/search/search-terms.ts';
import {
  conversationTimes,
  isPositionIn,
  isWordSort,
  type TicketPosition,
  type TicketQuery,
  type TicketSort,
} from '../../helpdesk/tickets/ticket-store.ts';
import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import { invalidCursor, oneOf } from '../http/query-parameters.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { describeSort, toSort, toSortKeys } from '../lists/sort.ts';
import { customFieldParameters, ticketFilters } from './filter-parameters.ts';
import { fieldNames, includeParameter, type Projection } from './projection.ts';

const sortFields = [
  'created_at',
  'updated_at',
  'due_at',
  ...conversationTimes,
  'reply_count',
  'priority',
  'status',
] as const;
const sortKeys = [...toSortKeys(sortFields), 'relevance'] as const;
type SortKey = (typeof sortKeys)[number];
const MAX_SORT_KEYS = 2;
const truth = oneOf(['true', 'false']).default('false');

const searched = z
  .string()
  .min(1, { error: 'must contain a letter or a digit', abort: true })
  .max(MAX_QUERY_LENGTH, `must have at most ${MAX_QUERY_LENGTH} characters`)
  .meta({ pattern: searchPattern })
  .transform((text, ctx) => {
    const parsed = parseSearch(text);
    if ('terms' in parsed) return parsed.terms;
    ctx.addIssue({ code: 'custom', message: parsed.fault });
    return z.NEVER;
  });

const placeSchema = z.strictObject({
  value: z.union([z.iso.datetime({ precision: 3 }), z.int(), z.null()]),
  id: z.uuid(),
  path: z
    .array(z.string())
    .min(1)
    .max(MAX_SORT_KEYS + 1)
    .optional(),
  score: z.int().optional(),
});

const grammar = createListGrammar({
  owner: { list: 'tickets', operation: 'listTickets', instead: { subject: 'q', description: 'q' } },
  position: placeSchema as z.ZodType<TicketPosition>,
  sort: listOf(oneOf(sortKeys), MAX_SORT_KEYS)
    .default(['-created_at'])
    .describe(
      describeSort(
        'ties are broken by id, and tickets without the value come last. `priority` sorts by rank, and `status` by category and position; both accept a second key, as in `-priority,waiting_since` (default: creation time in the same direction). `relevance` returns the best of the newest 1,000 matches of `q` first',
      ),
    ),
  fields: fieldNames,
  filters: ticketFilters,
  hasTotal: true,
  filterParameters: {
    q: searched
      .optional()
      .describe(
        'Words that the subject, description or replies must all contain. The last word also matches as a prefix; words in double quotes match as a phrase',
      ),
    deleted: truth.describe('Whether to list deleted tickets instead; for agents and administrators only'),
  },
  displayParameters: {
    highlight: truth.describe('Whether to return the matches of `q` in each ticket'),
    include: includeParameter,
  },
  open: customFieldParameters,
});

/** The query parameters of `GET /tickets`, except those of custom fields. */
export const parametersSchema = grammar.parametersSchema;

/** Names of the query parameters of `GET /tickets`. */
export const listParameters: readonly string[] = Object.keys(parametersSchema.shape);

/** A parsed request for a list of tickets. */
export interface TicketListRequest extends Pick<ListRequest<TicketPosition>, 'hasTotal' | 'toCursor'> {
  query: TicketQuery;
  shown: Projection;
  /** Whether the response has the highlights of the search. */
  isHighlighted: boolean;
}

/**
 * Reads the query string of a list.
 *
 * @throws {AppError} `validation_failed` with every unknown, repeated or invalid parameter
 */
export function parseListQuery(
  queryString: string,
  { now, definitions }: { now: Date; definitions: DefinitionSet },
): TicketListRequest {
  const request = grammar.parse(queryString, { now });
  const { limit, sort, after, conditions, fields, own, hasTotal, toCursor } = request;
  const { q, highlight, deleted, include } = own;
  const keys = sort as readonly SortKey[];
  const isRanked = keys[0] === 'relevance';
  if (!q && isRanked) throw invalidParameter('sort', 'must not be relevance without q');
  if (!q && highlight === 'true') throw invalidParameter('highlight', 'must not be true without q');
  if (conditions.deleted_at && deleted === 'false') {
    throw invalidParameter(nameOf(queryString, 'deleted_at'), 'goes with deleted=true alone');
  }
  const query: TicketQuery = {
    filter: conditions as TicketFilter,
    sort: isRanked && keys.length === 1 ? newestFirst : toOrder(keys, definitions),
    limit,
    ...(q && { search: q, isRanked }),
    ...(deleted === 'true' && { isDeleted: true }),
    ...(after && { after }),
  };
  if (after && !isPositionIn(query, after)) throw invalidCursor();
  const shown = { fields: fields as Projection['fields'], include };
  return { query, shown, hasTotal, isHighlighted: highlight === 'true', toCursor };
}

/** Returns the name of the parameter by which a request filters by a field. */
function nameOf(queryString: string, field: string): string {
  const names = [...new URLSearchParams(queryString).keys()];
  return names.find((name) => name.startsWith(field)) ?? field;
}

const newestFirst: TicketSort = { field: 'created_at', direction: 'desc' };

/**
 * Converts one or two sort keys to a sort order. A second key must follow a word, because two tickets rarely share a time.
 *
 * @throws {AppError} `validation_failed` for any other second key
 */
function toOrder([key, second]: readonly SortKey[], definitions: DefinitionSet): TicketSort {
  const sort = toOneSort(key as SortKey, definitions);
  if (second === undefined) return sort;
  const next = toOneSort(second, definitions);
  if (!isWordSort(sort) || second === 'relevance' || next.field === sort.field) {
    throw invalidParameter(
      'sort',
      'must have a second key only after priority or status, and of another field',
    );
  }
  return { ...sort, next };
}

function toOneSort(key: SortKey, definitions: DefinitionSet): TicketSort {
  if (key === 'relevance') return newestFirst;
  const sort: TicketSort = toSort(key);
  return isWordSort(sort) ? { ...sort, order: definitions.idsOf(sort.field) } : sort;
}
