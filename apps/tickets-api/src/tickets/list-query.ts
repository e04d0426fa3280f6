import { AppError, type FieldError } from '@keydesk/http';
import { z } from 'zod';
import { decodeCursor } from './cursor.ts';
import { emailAddress, ticketPriorities, ticketStatuses, ticketTypes } from './ticket.ts';
import type { TicketFilter, TicketQuery, TicketSort, TimeRange } from './ticket-store.ts';

export const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;
const rangeOperators = { gte: 'At or after', gt: 'After', lte: 'At or before', lt: 'Before' } as const;

const time = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 time such as 2026-01-31T09:00:00Z' })
  .transform((text) => new Date(text).toISOString());

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

const rangeParameters = Object.fromEntries(
  ['created_at', 'updated_at'].flatMap((field) =>
    Object.entries(rangeOperators).map(([operator, meaning]) => [
      `${field}[${operator}]`,
      time.optional().describe(`${meaning} this time`),
    ]),
  ),
);

const wholeNumber = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** The query parameters of `GET /tickets`. */
export const parametersSchema = z.object({
  limit: z
    .string()
    .regex(/^\d{1,9}$/, wholeNumber)
    .transform(Number)
    .pipe(z.int().min(1, wholeNumber).max(MAX_LIMIT, wholeNumber))
    .default(DEFAULT_LIMIT)
    .describe('How many at most'),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('The `next_cursor` of the page before, with the same filters and sort'),
  sort: oneOf(sorts).default('-created_at').describe('`-` is newest first; ties are broken by id'),
  status: oneOf(ticketStatuses).optional().describe('Tickets that have come this far'),
  priority: oneOf(ticketPriorities).optional().describe('Tickets that matter this much'),
  type: oneOf(ticketTypes).optional().describe('Tickets of this kind'),
  assignee: emailAddress.optional().describe('Tickets that this person works on'),
  requester: emailAddress.optional().describe('Tickets that this person asked for'),
  tag: z.string().min(1).max(64).optional().describe('Tickets that carry this tag'),
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
  const { values, faults } = singleValues(new URLSearchParams(queryString));
  const parsed = parametersSchema.safeParse(values);
  if (!parsed.success) faults.push(...parsed.error.issues.map(toFault));
  if (faults.length > 0 || !parsed.success) throw invalid(faults);

  const { limit, cursor, sort, ...rest } = parsed.data;
  const query: TicketQuery = { filter: toFilter(rest), sort: toSort(sort), limit };
  if (cursor === undefined) return query;
  const after = decodeCursor(cursor, query);
  if (!after) {
    throw invalid([
      {
        field: 'cursor',
        code: 'invalid_value',
        message: 'must be the next_cursor of a list with the same filters and sort',
      },
    ]);
  }
  return { ...query, after };
}

function singleValues(parameters: URLSearchParams): { values: Record<string, string>; faults: FieldError[] } {
  const values: Record<string, string> = {};
  const faults: FieldError[] = [];
  for (const name of new Set(parameters.keys())) {
    const given = parameters.getAll(name);
    if (!listParameters.includes(name)) {
      faults.push({
        field: name,
        code: 'unknown_parameter',
        message: `is not known here; known are ${listParameters.join(', ')}`,
      });
    } else if (given.length > 1) {
      faults.push({ field: name, code: 'repeated_parameter', message: 'must be given once' });
    } else {
      values[name] = given[0] ?? '';
    }
  }
  return { values, faults };
}

function toFault(issue: z.core.$ZodIssue): FieldError {
  return { field: issue.path.join('.'), code: 'invalid_value', message: issue.message };
}

function invalid(errors: readonly FieldError[]): AppError {
  return new AppError('validation_failed', 'The query parameters are invalid; see errors.', { errors });
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
