import { AppError, type FieldError } from '@keydesk/http';
import type { Next, ParameterizedContext } from 'koa';
import { z } from 'zod';
import { describeIssue } from '../formats/issue-faults.ts';

const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;

/** More faults than anybody reads; the answer must not grow to many times the request. */
const MAX_FAULTS = 20;

const wholeNumber = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** The parameters of every collection that is read page by page. */
export const pageParameters = {
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
};

/** A word of a list, as a parameter. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/**
 * Reads a query string.
 *
 * @param alsoKnown patterns of parameters that are known as well, for whoever gives one that is not
 * @throws {AppError} `validation_failed`, naming the unknown, repeated and faulty parameters at once.
 */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  queryString: string,
  alsoKnown: readonly string[] = [],
): z.output<Schema> {
  const names = Object.keys(schema.shape);
  const { values, faults } = toSingleValues(queryString, names, alsoKnown);
  const parsed = schema.safeParse(values, { error: describeIssue, reportInput: true });
  if (!parsed.success) faults.push(...parsed.error.issues.map(toFault));
  if (faults.length > 0 || !parsed.success) throw invalidParameters(faults);
  return parsed.data;
}

const noParameters = z.object({});

/**
 * Stands before what knows no query parameters.
 *
 * @throws {AppError} `validation_failed`, naming those that are given
 */
export function takeNoParameters(ctx: ParameterizedContext, next: Next): Promise<unknown> {
  parseParameters(noParameters, ctx.querystring);
  return next();
}

/** The cursor is of no page of this list. */
export function invalidCursor(): AppError {
  return invalidParameter('cursor', 'must be the next_cursor of a list with the same filters and sort');
}

/** The value of this parameter is not one that it can have. */
export function invalidParameter(field: string, message: string): AppError {
  return invalidParameters([{ field, code: 'invalid_value', message }]);
}

function toSingleValues(
  queryString: string,
  known: readonly string[],
  alsoKnown: readonly string[],
): { values: Record<string, string>; faults: FieldError[] } {
  const parameters = Map.groupBy(new URLSearchParams(queryString), ([name]) => name);
  const values: Record<string, string> = {};
  const faults: FieldError[] = [];
  const unknown = `is not known here; known are ${[...known, ...alsoKnown].join(', ') || 'none'}`;
  for (const [name, pairs] of parameters) {
    const given = pairs.map(([, value]) => value);
    if (!known.includes(name)) {
      faults.push({ field: name, code: 'unknown_parameter', message: unknown });
    } else if (given.length > 1) {
      faults.push({ field: name, code: 'repeated_parameter', message: 'must be given once' });
    } else if (isMangled(given[0], queryString)) {
      faults.push({ field: name, code: 'invalid_value', message: 'must be percent-encoded UTF-8' });
    } else {
      values[name] = given[0] ?? '';
    }
  }
  return { values, faults };
}

/** Whether there is a replacement character in the place of bytes that are not UTF-8, and not because it was sent. */
function isMangled(value: string | undefined, queryString: string): boolean {
  return value?.includes('\uFFFD') === true && !/%EF%BF%BD/i.test(queryString);
}

function toFault(issue: z.core.$ZodIssue): FieldError {
  const code = issue.input === undefined ? 'required' : 'invalid_value';
  // A parameter is one text, whatever it is taken apart into.
  return { field: String(issue.path[0] ?? ''), code, message: issue.message };
}

/** These are wrong, each in its way. */
export function invalidParameters(faults: readonly FieldError[]): AppError {
  const errors = faults.slice(0, MAX_FAULTS);
  const more = faults.length - errors.length;
  const detail = `The query parameters are invalid; see errors${more > 0 ? ` (${more} more are not shown)` : ''}.`;
  return new AppError('validation_failed', detail, { errors });
}
