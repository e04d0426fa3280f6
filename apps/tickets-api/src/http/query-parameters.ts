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

/** Options for reading a query string, beside its schema. */
export interface ParameterOptions {
  /** The list that is named in error texts; `undefined` for what is no list. */
  of?: ParameterOwner | undefined;
  open?: OpenParameters | undefined;
}

/**
 * Makes the reader of query strings of one schema; made once, because it reads the defaults of absent parameters. A list
 * has some ninety parameters and a request a few: only those are parsed, each by its own schema. The reader throws
 * `AppError('validation_failed')`, naming the unknown, repeated and faulty parameters at once.
 */
export function createParameterReader<Schema extends z.ZodObject>(
  schema: Schema,
  options: ParameterOptions = {},
): (queryString: string) => z.output<Schema> {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const places = new Map(Object.keys(shape).map((name, i) => [name, i]));
  const placeOf = ({ name }: Given) => places.get(name) ?? places.size;
  const absent = Object.entries(shape).map(([name, each]) => ({
    name,
    ...each.safeParse(undefined, parsing),
  }));
  const required = absent.filter(({ error }) => error);
  const defaults = Object.fromEntries(
    absent.flatMap(({ name, data }) => (data === undefined ? [] : [[name, data]])),
  );

  return (queryString) => {
    const { given, faults } = findGiven(queryString, shape, options);
    const values: Record<string, unknown> = { ...defaults };
    const read = (name: string, { data, error }: z.ZodSafeParseResult<unknown>) => {
      if (error) faults.push(...error.issues.map((issue) => toFault(name, issue)));
      else values[name] = data;
    };
    // In the order of the schema, because cursors are bound to their list by its parameters.
    for (const { name, value, schema: own } of given.toSorted((a, b) => placeOf(a) - placeOf(b))) {
      read(name, own.safeParse(value, parsing));
    }
    const isNamed = (name: string) =>
      given.some((each) => each.name === name) || faults.some(({ field }) => field === name);
    for (const { name, ...result } of required) if (!isNamed(name)) read(name, result);
    if (faults.length > 0) throw invalidParameters(faults);
    return values as z.output<Schema>;
  };
}

const parsing = { error: describeIssue, reportInput: true };

const readNoParameters = createParameterReader(z.object({}));

/**
 * Stands before what knows no query parameters.
 *
 * @throws {AppError} `validation_failed`, naming those that are given
 */
export function takeNoParameters(ctx: ParameterizedContext, next: Next): Promise<unknown> {
  readNoParameters(ctx.querystring);
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

/** A parameter of a request that has a schema. */
interface Given {
  name: string;
  value: string;
  schema: z.ZodType;
}

/** The parameters that can be read, and what is wrong with the others. */
function findGiven(
  queryString: string,
  shape: Readonly<Record<string, z.ZodType>>,
  { of, open = noOpenParameters }: ParameterOptions,
) {
  const given: Given[] = [];
  const faults: FieldError[] = [];
  let openLeft = open.max;
  for (const [name, sent] of Map.groupBy(new URLSearchParams(queryString), ([name]) => name)) {
    const isFixed = Object.hasOwn(shape, name);
    const schema = isFixed ? shape[name] : open.find(name);
    if (!schema) {
      // Faults after the last one that is shown are only counted.
      const known = [...Object.keys(shape), ...open.forms];
      const message = faults.length < MAX_FAULTS ? describeUnknown(name, known, of) : '';
      faults.push({ field: name, code: 'unknown_parameter', message });
      continue;
    }
    const pairs = joinRepeated(sent, schema);
    const [[, value] = ['', '']] = pairs;
    const fault = findFault(pairs, queryString);
    if (fault) faults.push({ field: name, ...fault });
    else if (isFixed || openLeft-- > 0) given.push({ name, value, schema });
    else faults.push({ field: name, code: 'invalid_value', message: describeExcess(open) });
  }
  return { given, faults };
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

function toFault(field: string, issue: z.core.$ZodIssue): FieldError {
  const code = issue.input === undefined ? 'required' : 'invalid_value';
  return { field, code, message: issue.message };
}

/** These are wrong, each in its way. */
export function invalidParameters(faults: readonly FieldError[]): AppError {
  const errors = faults.slice(0, MAX_FAULTS);
  const more = faults.length - errors.length;
  const detail = `The query parameters are invalid; see errors${more > 0 ? ` (${more} more are not shown)` : ''}.`;
  return new AppError('validation_failed', detail, { errors });
}
