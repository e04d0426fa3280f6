import { z } from 'zod';
import { givenTimestamp, hasYear } from '../formats/timestamp.ts';
import { type OpenParameters, oneOf } from '../http/query-parameters.ts';
import { toSorted } from './implied-range.ts';
import {
  type Condition,
  customFieldOperators,
  type FieldName,
  type FilterField,
  filterFields,
  type Operator,
  type TicketFilter,
} from './ticket-filter.ts';

const MAX_VALUES = 20;
const MAX_CUSTOM_FIELDS = 10;

/** What an operator is called in brackets behind the name of a field, and what it asks for. */
const operators: Readonly<Record<Operator, { suffix: string; meaning: string }>> = {
  any: { suffix: '', meaning: 'Any of these, separated by commas' },
  all: { suffix: '[all]', meaning: 'All of these, separated by commas' },
  not: { suffix: '[not]', meaning: 'None of these, separated by commas' },
  gte: { suffix: '[gte]', meaning: 'This or more; of times, at or after' },
  gt: { suffix: '[gt]', meaning: 'More than this; of times, after, of a date after that day' },
  lte: { suffix: '[lte]', meaning: 'This or less; of times, at or before, of a date that day included' },
  lt: { suffix: '[lt]', meaning: 'Less than this; of times, before' },
  isEmpty: { suffix: '[empty]', meaning: 'Whether there is none' },
};

const day = z.iso.date().refine(hasYear);
const [dayBegins, dayEnds] = ['T00:00:00.000Z', 'T23:59:59.999Z'];
const noTime =
  'must be an RFC 3339 time such as 2026-01-31T09:00:00Z (in a URL + is %2B), or a date such as 2026-01-31';

/**
 * A time, or a day of UTC, which stands for all of it: what is at or after it, or before it, is measured from where it
 * begins; what is after it, or at or before it, from where it ends. Tickets have times to the millisecond.
 */
function timeOrDay(operator: Operator) {
  const ofDay = operator === 'gt' || operator === 'lte' ? dayEnds : dayBegins;
  return z.union([givenTimestamp, day.transform((text) => text + ofDay)], { error: noTime });
}

/** The same as what is neither before nor after it. */
const within = z
  .union(
    [
      givenTimestamp.transform((at): Condition => ({ gte: at, lte: at })),
      day.transform((text): Condition => ({ gte: text + dayBegins, lte: text + dayEnds })),
    ],
    { error: noTime },
  )
  .optional()
  .describe('At this time, or on this day of UTC');

const uuid = z.uuid({ error: 'must be the id of a ticket' }).transform((id) => id.toLowerCase());

const address = z
  .string()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/);

const person = z
  .union([z.literal('me'), z.uuid(), address], {
    error: 'must be an e-mail address, the id of a person, or me',
  })
  .transform((text) => text.toLowerCase());

const count = z.string().regex(/^(0|[1-9]\d{0,14})$/, 'must be a whole number');

const text = z.string().min(1, 'must not be empty').max(255);

const values: Readonly<Record<Exclude<FilterField['kind'], 'time'>, z.ZodType<string, string>>> = {
  word: text,
  person,
  tag: text.max(64),
  text,
  id: uuid,
  count,
};

const emptiness = oneOf(['true', 'false']).transform((word) => word === 'true');

/** The parameters by which tickets are found, made from the table of fields. */
export const filterParameters: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries<FilterField>(filterFields).flatMap(([name, field]): [string, z.ZodType][] => [
    ...(field.kind === 'time' ? [[name, within] as [string, z.ZodType]] : []),
    ...field.operators.map((operator): [string, z.ZodType] => [
      name + operators[operator].suffix,
      toSchema(operator, toValue(field, operator)),
    ]),
  ]),
);

function toValue({ kind, words }: FilterField, operator: Operator): z.ZodType<string, string> {
  if (words) return oneOf(words);
  return kind === 'time' ? timeOrDay(operator) : values[kind];
}

/** How the parameter is called that asks this of a field. */
export function toParameterName(field: string, operator: Operator): string {
  return field + operators[operator].suffix;
}

/** Forms of the names of the parameters of custom fields. */
export const customFieldNames: readonly string[] = customFieldOperators.map(
  (operator) => `custom_fields.NAME${operators[operator].suffix}`,
);

/** The pattern of their names. */
export const customFieldPattern = `^custom_fields\\.[a-z][a-z0-9_]{0,63}(\\[(${customFieldOperators
  .flatMap((operator) => operators[operator].suffix.slice(1, -1) || [])
  .join('|')})\\])?$`;
const customField = new RegExp(customFieldPattern);

const customFieldSchemas = new Map(
  customFieldOperators.map((operator) => [operators[operator].suffix, toSchema(operator, text)]),
);

/** The parameters of custom fields; a schema serves all of one operator. */
export const customFieldParameters: OpenParameters = {
  forms: customFieldNames,
  max: MAX_CUSTOM_FIELDS,
  find: (name) => (customField.test(name) ? customFieldSchemas.get(toSuffix(name)) : undefined),
};

/** The filter that parsed parameters ask for. Words that are not wanted are told by those that are. */
export function toFilter(parameters: Readonly<Record<string, unknown>>): TicketFilter {
  const filter: Record<string, Condition> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const suffix = toSuffix(name);
    const operator = (Object.keys(operators) as Operator[]).find((each) => operators[each].suffix === suffix);
    const field = name.slice(0, name.length - suffix.length);
    const isWithin = typeof value === 'object' && !Array.isArray(value);
    if (operator)
      filter[field] = both(filter[field], isWithin ? (value as Condition) : { [operator]: value });
  }
  return Object.fromEntries(Object.entries(filter).map(([name, each]) => [name, toWanted(name, each)]));
}

/** What holds when both do: where both have a bound, the narrower one. */
function both(one: Condition = {}, other: Condition): Condition {
  const gte = toSorted(one.gte, other.gte).at(-1);
  const [lte] = toSorted(one.lte, other.lte);
  return { ...one, ...other, ...(gte && { gte }), ...(lte && { lte }) };
}

/** An index leads to what is wanted; to what is not, only a walk past everything. */
function toWanted(name: string, condition: Condition): Condition {
  const field: FilterField | undefined = filterFields[name as FieldName];
  const { not, any, ...rest } = condition;
  if (!not || !field?.words || field.operators.includes('isEmpty')) return condition;
  return { ...rest, any: (any ?? field.words).filter((word) => !not.includes(word)) };
}

function toSchema(operator: Operator, value: z.ZodType<string, string>): z.ZodType {
  const { meaning } = operators[operator];
  if (operator === 'isEmpty') return emptiness.optional().describe(meaning);
  const isList = operator === 'any' || operator === 'all' || operator === 'not';
  return (isList ? listOf(value) : value).optional().describe(meaning);
}

/** Values between commas; a comma that belongs to a value has a backslash before it. */
function listOf(value: z.ZodType<string, string>) {
  const tooMany = `must not have more than ${MAX_VALUES} values`;
  return z
    .string()
    .transform((given) => [...new Set(split(given))])
    .pipe(z.array(value).min(1).max(MAX_VALUES, tooMany).meta({ item: 'value' }));
}

function split(given: string): string[] {
  return (given.match(/(?<=^|,)(?:[^,\\]|\\.?)*/gs) ?? ['']).map((each) => each.replace(/\\(.)/gs, '$1'));
}

function toSuffix(name: string): string {
  return /\[\w+\]$/.exec(name)?.[0] ?? '';
}
