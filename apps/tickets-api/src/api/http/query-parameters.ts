import type { AppError, FieldError } from '@keydesk/errors';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Next, ParameterizedContext } from 'koa';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { describeIssue } from '../../wire/faults/issue-faults.ts';
import {
  invalidParameter,
  invalidParameters,
  MAX_PARAMETER_FAULTS,
} from '../../wire/faults/validation-errors.ts';
import { isXmlText } from '../../wire/xml/xml-text.ts';
import { describeUnknown, type ParameterOwner } from './unknown-parameter.ts';

const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;
const MAX_REMEMBERED_VALUES = 200;
const MAX_REMEMBERED_LENGTH = 200;

/** Creates the parameter `limit`, the maximum number of members of a page. @param initial default */
export function limitParameter(max: number = MAX_LIMIT, initial: number = DEFAULT_LIMIT) {
  const wholeNumber = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, wholeNumber)
    .transform(Number)
    .pipe(z.int().min(1, wholeNumber).max(max, wholeNumber))
    .default(initial)
    .describe('Maximum number of members');
}

/** Creates the schema of a parameter with a fixed set of values. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** Parameter of operations that read something below a ticket. */
export const deletedParameter = oneOf(['true', 'false'])
  .default('false')
  .describe('Set to `true` to read from a deleted ticket; for agents and administrators');

/** Parameters of a list whose names are data, such as keys of custom fields. */
export interface OpenParameters {
  /** Patterns of their names in error texts. */
  forms: readonly string[];
  /** Maximum number in one request. */
  max: number;
  /** Returns the schema of a parameter; `undefined` for an unknown name. Cached, because compiling a schema takes 1 ms. */
  find(name: string): z.ZodType | undefined;
}

const noOpenParameters: OpenParameters = { forms: [], max: 0, find: () => undefined };

/** Options of a parameter reader. */
export interface ParameterOptions {
  /** The list as error texts name it; `undefined` for operations that return no list. */
  owner?: ParameterOwner | undefined;
  open?: OpenParameters | undefined;
}

/**
 * Creates a reader of query strings for one schema. Create it once: it computes the defaults of absent parameters. A
 * list has about ninety parameters and a request a few, so only those sent are parsed, each by its own schema. The
 * reader throws `AppError('validation_failed')` with all unknown, repeated and invalid parameters at once.
 */
export function createParameterReader<Schema extends z.ZodObject>(
  schema: Schema,
  options: ParameterOptions = {},
): (queryString: string) => z.output<Schema> {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const positions = new Map(Object.keys(shape).map((name, i) => [name, i]));
  const positionOf = ({ name }: GivenParameter) => positions.get(name) ?? positions.size;
  const absent = Object.entries(shape).map(([name, each]) => ({
    name,
    ...each.safeParse(undefined, parsing),
  }));
  const required = absent.filter(({ error }) => error);
  const defaults = Object.fromEntries(
    absent.flatMap(({ name, data }) => (data === undefined ? [] : [[name, data]])),
  );
  const parse = createValueParser();

  return (queryString) => {
    const { given, faults } = splitGiven(queryString, shape, options);
    const values: Record<string, unknown> = { ...defaults };
    const read = (name: string, { data, error }: z.ZodSafeParseResult<unknown>) => {
      if (error) faults.push(...error.issues.map((issue) => toFault(name, issue)));
      else values[name] = data;
    };
    // In schema order, because cursors are bound to the parameters of their list.
    for (const each of given.toSorted((a, b) => positionOf(a) - positionOf(b))) read(each.name, parse(each));
    const isNamed = (name: string) =>
      given.some((each) => each.name === name) || faults.some(({ field }) => field === name);
    for (const { name, ...result } of required) if (!isNamed(name)) read(name, result);
    if (faults.length > 0) throw invalidParameters(faults);
    return values as z.output<Schema>;
  };
}

/** Creates a parser that remembers valid values: callers repeat most of them, and parsing takes 5 % of a list. */
function createValueParser() {
  const known = new LRUCache<string, { schema: z.ZodType; result: z.ZodSafeParseSuccess<unknown> }>({
    max: MAX_REMEMBERED_VALUES,
  });
  return ({ name, value, schema }: GivenParameter): z.ZodSafeParseResult<unknown> => {
    const key = `${name}=${value}`;
    const found = known.get(key);
    if (found?.schema === schema) return found.result;
    const result = schema.safeParse(value, parsing);
    if (result.success && value.length <= MAX_REMEMBERED_LENGTH)
      known.set(key, { schema, result: deepFreeze(result) });
    return result;
  };
}

const parsing = { error: describeIssue, reportInput: true };

const readNoParameters = createParameterReader(z.object({}));

/**
 * Rejects query parameters; for operations that have none.
 *
 * @throws {AppError} `validation_failed` with the names of the parameters
 */
export function rejectParameters(ctx: ParameterizedContext, next: Next): Promise<unknown> {
  readNoParameters(ctx.querystring);
  return next();
}

/** Builds the error for a cursor that does not belong to this list. */
export function invalidCursor(): AppError {
  return invalidParameter('cursor', 'must be the next_cursor of a list with the same filters and sort');
}

/** Parameter of a request that the schema has. */
interface GivenParameter {
  name: string;
  value: string;
  schema: z.ZodType;
}

/** Splits a query string into parameters that can be parsed and faults of the others. */
function splitGiven(
  queryString: string,
  shape: Readonly<Record<string, z.ZodType>>,
  { owner: of, open = noOpenParameters }: ParameterOptions,
) {
  const given: GivenParameter[] = [];
  const faults: FieldError[] = [];
  let openLeft = open.max;
  for (const [name, sent] of Map.groupBy(new URLSearchParams(queryString), ([name]) => name)) {
    const isFixed = Object.hasOwn(shape, name);
    const schema = isFixed ? shape[name] : open.find(name);
    if (!schema) {
      // Faults beyond MAX_PARAMETER_FAULTS are only counted.
      const known = [...Object.keys(shape), ...open.forms];
      const message = faults.length < MAX_PARAMETER_FAULTS ? describeUnknown(name, known, of) : '';
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
  return `exceeds the limit; send at most ${max} parameters of the form ${form}`;
}

/** Returns why a known parameter cannot be parsed, if so. */
function findFault(pairs: readonly (readonly [string, string])[], queryString: string) {
  if (pairs.length > 1) return { code: 'repeated_parameter', message: 'must be given once' };
  const message = findTextFault(pairs[0]?.[1] ?? '', queryString);
  return message === undefined ? undefined : { code: 'invalid_value', message };
}

/** Returns why a value is not valid text; `undefined` for valid text. */
function findTextFault(value: string, queryString: string): string | undefined {
  if (isMangled(value, queryString)) return 'must be percent-encoded UTF-8';
  return isXmlText(value) ? undefined : 'must not contain control characters';
}

/** Whether decoding replaced bytes that are not UTF-8. A U+FFFD that the client sent does not count. */
function isMangled(value: string, queryString: string): boolean {
  return value.includes('\uFFFD') && !/%EF%BF%BD/i.test(queryString);
}

function toFault(field: string, issue: z.core.$ZodIssue): FieldError {
  const code = issue.input === undefined ? 'required' : 'invalid_value';
  return { field, code, message: issue.message };
}

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Joins the values of a repeated list parameter with commas: many clients send `status=new&status=open` for
 * `status=new,open`.
 */
function joinRepeated(pairs: Pairs, schema: z.ZodType): Pairs {
  const [[name] = ['']] = pairs;
  if (pairs.length < 2 || !isListSchema(schema)) return pairs;
  return [[name, pairs.map(([, value]) => value).join(',')]];
}

/** Whether the schema parses a string into a list. */
function isListSchema(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'default' || def.type === 'prefault') {
    return isListSchema(def.innerType);
  }
  return def.type === 'pipe' ? isListSchema(def.out) : def.type === 'array';
}
