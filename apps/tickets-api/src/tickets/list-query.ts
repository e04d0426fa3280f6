import { z } from 'zod';
import { invalidCursor, invalidParameter, oneOf } from '../http/query-parameters.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { LONGEST_QUERY, parseSearch } from '../search/search-terms.ts';
import { customFieldParameters, ticketFilters } from './filter-parameters.ts';
import { fieldNames, includeParameter, type Shown } from './shown.ts';
import type { TicketFilter } from './ticket-filter.ts';
import { isPlaceIn, type TicketPosition, type TicketQuery, type TicketSort } from './ticket-store.ts';

const sorts = [
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
  'due_at',
  '-due_at',
  'priority',
  '-priority',
  'status',
  '-status',
  'relevance',
] as const;
const truth = oneOf(['true', 'false']).default('false');

const searched = z
  .string()
  .min(1, { error: 'must have a letter or a digit', abort: true })
  .max(LONGEST_QUERY, `must have at most ${LONGEST_QUERY} characters`)
  .transform((text, ctx) => {
    const parsed = parseSearch(text);
    if ('terms' in parsed) return parsed.terms;
    ctx.addIssue({ code: 'custom', message: parsed.fault });
    return z.NEVER;
  });

const placeSchema = z.strictObject({
  value: z.iso.datetime({ precision: 3 }).nullable(),
  id: z.uuid(),
  word: z.string().optional(),
  score: z.int().optional(),
});

const grammar = createListGrammar({
  place: placeSchema as z.ZodType<TicketPosition>,
  sort: oneOf(sorts)
    .default('-created_at')
    .describe(
      '`-` is newest first; ties are broken by id; what is not due comes last; by `priority` and `status` in the order of their words, tickets of one word by creation; `relevance` puts the best of the newest 1,000 matches of `q` first',
    ),
  fields: fieldNames,
  filters: ticketFilters,
  hasTotal: true,
  own: {
    q: searched
      .optional()
      .describe(
        'Tickets that have all of these words in their subject, description or replies; the last may be the beginning of a word; "a phrase" is found in one piece',
      ),
    deleted: truth.describe('The deleted tickets instead, for agents and administrators'),
  },
  shown: {
    highlight: truth.describe('Whether to show where each ticket has what `q` asks for'),
    include: includeParameter,
  },
  open: customFieldParameters,
});

/** The query parameters of `GET /tickets`, but for those of custom fields. */
export const parametersSchema = grammar.parametersSchema;

/** Their names. */
export const listParameters: readonly string[] = Object.keys(parametersSchema.shape);

/** The list that a request asks for. */
export interface TicketListRequest extends Pick<ListRequest<TicketPosition>, 'hasTotal' | 'toCursor'> {
  query: TicketQuery;
  shown: Shown;
  /** Whether to show where each ticket has what was searched for. */
  isHighlighted: boolean;
}

/**
 * Reads the query string of a list.
 *
 * @throws {AppError} `validation_failed`, naming every unknown, repeated or faulty parameter at once.
 */
export function parseListQuery(queryString: string, now: Date): TicketListRequest {
  const request = grammar.parse(queryString, { now });
  const { limit, sort, after, conditions, fields, own, hasTotal, toCursor } = request;
  const { q, highlight, deleted, include } = own;
  if (!q && sort === 'relevance') throw invalidParameter('sort', 'must not be relevance without q');
  if (!q && highlight === 'true') throw invalidParameter('highlight', 'must not be true without q');
  if (conditions.deleted_at && deleted === 'false') {
    throw invalidParameter(nameOf(queryString, 'deleted_at'), 'goes with deleted=true alone');
  }
  const query: TicketQuery = {
    filter: conditions as TicketFilter,
    sort: toSort(sort as (typeof sorts)[number]),
    limit,
    ...(q && { search: q, isRanked: sort === 'relevance' }),
    ...(deleted === 'true' && { isDeleted: true }),
    ...(after && { after }),
  };
  if (after && !isPlaceIn(query, after)) throw invalidCursor();
  const shown = { fields: fields as Shown['fields'], include };
  return { query, shown, hasTotal, isHighlighted: highlight === 'true', toCursor };
}

/** The parameter by which a request filters by a field. */
function nameOf(queryString: string, field: string): string {
  const names = [...new URLSearchParams(queryString).keys()];
  return names.find((name) => name.startsWith(field)) ?? field;
}

function toSort(sort: (typeof sorts)[number]): TicketSort {
  if (sort === 'relevance') return { field: 'created_at', direction: 'desc' };
  return {
    field: sort.replace('-', '') as TicketSort['field'],
    direction: sort.startsWith('-') ? 'desc' : 'asc',
  };
}
