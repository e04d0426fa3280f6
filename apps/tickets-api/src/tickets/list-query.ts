import { z } from 'zod';
import {
  invalidCursor,
  invalidParameter,
  oneOf,
  pageParameters,
  parseParameters,
} from '../http/query-parameters.ts';
import { LONGEST_QUERY, parseSearch } from '../search/search-terms.ts';
import { decodeCursor } from './cursor.ts';
import { customFieldParameters, filterParameters, toFilter } from './filter-parameters.ts';
import { type Shown, shownParameters } from './shown.ts';
import type { TicketQuery, TicketSort } from './ticket-store.ts';

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

const own = z.object({
  ...pageParameters,
  sort: oneOf(sorts)
    .default('-created_at')
    .describe(
      '`-` is newest first; ties are broken by id; what is not due comes last; by `priority` and `status` in the order of their words, tickets of one word by creation; `relevance` puts the best of the newest 1,000 matches of `q` first',
    ),
  q: searched
    .optional()
    .describe(
      'Tickets that have all of these words in their subject, description or replies; the last may be the beginning of a word; "a phrase" is found in one piece',
    ),
  highlight: truth.describe('Whether to show where each ticket has what `q` asks for'),
  deleted: truth.describe('The deleted tickets instead, for agents and administrators'),
  ...shownParameters,
  total: truth.describe('Whether to count the tickets that match, up to 10,000'),
});

/** The query parameters of `GET /tickets`, but for those of custom fields. */
export const parametersSchema = own.extend(filterParameters);

/** Their names. */
export const listParameters: readonly string[] = Object.keys(parametersSchema.shape);

/** What a request for a list asks for. */
export interface ListRequest {
  query: TicketQuery;
  shown: Shown;
  /** Whether to count. */
  hasTotal: boolean;
  /** Whether to show where each ticket has what was searched for. */
  isHighlighted: boolean;
}

/**
 * Reads the query string of a list.
 *
 * @throws {AppError} `validation_failed`, naming every unknown, repeated or faulty parameter at once.
 */
export function parseListQuery(queryString: string): ListRequest {
  const parsed = parseParameters(parametersSchema, queryString, customFieldParameters) as z.output<
    typeof own
  >;
  const { limit, cursor, sort, q, highlight, deleted, fields, include, total, ...filters } = parsed;
  if (!q && sort === 'relevance') throw invalidParameter('sort', 'must not be relevance without q');
  if (!q && highlight === 'true') throw invalidParameter('highlight', 'must not be true without q');
  const filter = toFilter(filters);
  const ofDeleted = Object.keys(filters).find((name) => name.startsWith('deleted_at'));
  if (ofDeleted && deleted === 'false') throw invalidParameter(ofDeleted, 'goes with deleted=true alone');
  const query: TicketQuery = {
    filter,
    sort: toSort(sort),
    limit,
    ...(q && { search: q, isRanked: sort === 'relevance' }),
    ...(deleted === 'true' && { isDeleted: true }),
  };
  const request = {
    shown: { fields, include },
    hasTotal: total === 'true',
    isHighlighted: highlight === 'true',
  };
  if (cursor === undefined) return { query, ...request };
  const after = decodeCursor(cursor, query);
  if (!after) throw invalidCursor();
  return { query: { ...query, after }, ...request };
}

function toSort(sort: (typeof sorts)[number]): TicketSort {
  if (sort === 'relevance') return { field: 'created_at', direction: 'desc' };
  return {
    field: sort.replace('-', '') as TicketSort['field'],
    direction: sort.startsWith('-') ? 'desc' : 'asc',
  };
}
