import { AppError, type FieldError } from '@keydesk/http';
import type { Next, ParameterizedContext } from 'koa';
import { z } from 'zod';
import { describeIssue } from '../formats/issue-faults.ts';
import { isXmlText } from '../formats/xml-text.ts';
import { joinRepeated } from './join-repeated.ts';
import { describeUnknown, type ParameterOwner } from './unknown-parameter.ts';

const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;

/** More faults than anybody reads; the answer must not grow to many times the request. */
const MAX_FAULTS = 20;

/** The parameter that says how many members a page has at most. @param initial how many without it */
export function limitParameter(max: number = MAX_LIMIT, initial: number = DEFAULT_LIMIT) {
  const wholeNumber = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, wholeNumber)
    .transform(Number)
    .pipe(z.int().min(1, wholeNumber).max(max, wholeNumber))
    .default(initial)
    .describe('How many at most');
}

/** A word of a list, as a parameter. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** Of what is read by the id of a ticket. */
export const deletedParameter = oneOf(['true', 'false'])
  .default('false')
  .describe('Whether to read it though the ticket is deleted; for agents and administrators');

/** Parameters of a list whose names are not fixed. */
export interface OpenParameters {
  /** Forms of their names, for error texts. */
  forms: readonly string[];
  /** Maximum number in one request. */
  max: number;
  /** The schema of a parameter; `undefined` when it has no such name. Made once, because compiling costs 1 ms. */
  find(name: string): z.ZodType | undefined;
}

const noOpenParameters: OpenParameters = { forms: [], max: 0, find: () => undefined };

/** How a query string is read beside its schema. */
export interface ParameterOptions {
  /** The list that is named in error texts; `undefined` for what is no list. */
  of?: ParameterOwner | undefined;
  open?: OpenParameters | undefined;
}

/**
 * Reads a query string. The schema must be made once, not per request: zod compiles it at its first use.
 *
 * @throws {AppError} `validation_failed`, naming the unknown, repeated and faulty parameters at once.
 */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  queryString: string,
  options: ParameterOptions = {},
): z.output<Schema> {
  const { values, openValues, faults } = toSingleValues(queryString, schema, options);
  const parsed = schema.safeParse(values, parsing);
  if (!parsed.success) faults.push(...parsed.error.issues.map(toFault));
  const openParsed = openValues.map(({ name, value, schema: own }) => {
    const { data, error } = own.safeParse(value, parsing);
    if (error) faults.push(...error.issues.map((issue) => toFault({ ...issue, path: [name] })));
    return [name, data];
  });
  if (faults.length > 0 || !parsed.success) throw invalidParameters(faults);
  return openParsed.length > 0 ? { ...parsed.data, ...Object.fromEntries(openParsed) } : parsed.data;
}

const parsing = { error: describeIssue, reportInput: true };

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

interface SingleValues {
  values: Record<string, string>;
  openValues: { name: string; value: string; schema: z.ZodType }[];
  faults: FieldError[];
}

function toSingleValues(
  queryString: string,
  { shape }: z.ZodObject,
  { of, open = noOpenParameters }: ParameterOptions,
): SingleValues {
  const parameters = Map.groupBy(new URLSearchParams(queryString), ([name]) => name);
  const known = [...Object.keys(shape), ...open.forms];
  const { values, openValues, faults }: SingleValues = { values: {}, openValues: [], faults: [] };
  for (const [name, sent] of parameters) {
    const schema = Object.hasOwn(shape, name) ? shape[name] : open.find(name);
    if (!schema) {
      // What is behind the last fault that is shown is only counted.
      const message = faults.length < MAX_FAULTS ? describeUnknown(name, known, of) : '';
      faults.push({ field: name, code: 'unknown_parameter', message });
      continue;
    }
    const pairs = joinRepeated(sent, schema);
    const [[, value] = ['', '']] = pairs;
    const fault = findFault(pairs, queryString);
    if (fault) faults.push({ field: name, ...fault });
    else if (Object.hasOwn(shape, name)) values[name] = value;
    else if (openValues.length < open.max) openValues.push({ name, value, schema });
    else faults.push({ field: name, code: 'invalid_value', message: describeExcess(open) });
  }
  return { values, openValues, faults };
}

function describeExcess({ forms: [form], max }: OpenParameters): string {
  return `is one too many: send at most ${max} of the form ${form}`;
}

/** The reason why a known parameter can have no value, or not this one. */
function findFault(pairs: readonly (readonly [string, string])[], queryString: string) {
  if (pairs.length > 1) return { code: 'repeated_parameter', message: 'must be given once' };
  const message = findTextFault(pairs[0]?.[1] ?? '', queryString);
  return message === undefined ? undefined : { code: 'invalid_value', message };
}

/** The reason why a value can be no text; `undefined` for text. */
function findTextFault(value: string, queryString: string): string | undefined {
  if (isMangled(value, queryString)) return 'must be percent-encoded UTF-8';
  return isXmlText(value) ? undefined : 'must not have control characters';
}

/** Whether there is a replacement character in the place of bytes that are not UTF-8, and not because it was sent. */
function isMangled(value: string, queryString: string): boolean {
  return value.includes('\uFFFD') && !/%EF%BF%BD/i.test(queryString);
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
