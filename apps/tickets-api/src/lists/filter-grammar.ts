import { z } from 'zod';
import { givenTimestamp, hasYear } from '../formats/timestamp.ts';
import { oneOf } from '../http/query-parameters.ts';
import { toSorted } from '../tickets/implied-range.ts';
import type { Condition, Operator } from '../tickets/ticket-filter.ts';
import { relativeTime, resolveTime } from './relative-time.ts';

/** A field that a list is filtered by. */
export interface FilterField {
  /** The kind of its values: `time`, or a key of the schemas that the filters are made with. */
  kind: string;
  /** All values that it can have. */
  words?: readonly string[];
  operators: readonly Operator[];
}

/** The filters of one list: the parameters of its query string, and the conditions that they stand for. */
export interface Filters {
  parameters: Readonly<Record<string, z.ZodType>>;
  /** The conditions of parsed parameters, with relative times counted from `at`. */
  toConditions(parameters: Readonly<Record<string, unknown>>, at: string): Record<string, Condition>;
  /** Whether a time among parsed parameters is relative. */
  isRelative(parameters: Readonly<Record<string, unknown>>): boolean;
}

const MAX_VALUES = 20;

/** The suffix of an operator behind the name of a field, and its meaning. */
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
const noBound = `${noTime}, or relative to now such as -7d (units: s, m, h, d, w)`;

/**
 * A time, or a day of UTC, which stands for all of it: what is at or after it, or before it, is measured from where it
 * begins; what is after it, or at or before it, from where it ends. A relative time is resolved later.
 */
function timeOrDay(operator: Operator) {
  const ofDay = operator === 'gt' || operator === 'lte' ? dayEnds : dayBegins;
  const relative = z.string().regex(relativeTime, noBound);
  return z.union([givenTimestamp, day.transform((text) => text + ofDay), relative], { error: noBound });
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

const emptiness = oneOf(['true', 'false']).transform((word) => word === 'true');

/** Makes the filters of a list from the table of its fields. @param values schemas of values by their kind */
export function createFilters(
  fields: Readonly<Record<string, FilterField>>,
  values: Readonly<Record<string, z.ZodType<string, string>>>,
): Filters {
  function toValue({ kind, words }: FilterField, operator: Operator): z.ZodType<string, string> {
    if (kind === 'time') return timeOrDay(operator);
    const value = words ? oneOf(words) : values[kind];
    if (!value) throw new Error(`Values of kind ${kind} have no schema.`);
    return value;
  }

  const isOfTime = (name: string) => fields[name]?.kind === 'time';

  return {
    parameters: Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]): [string, z.ZodType][] => [
        ...(isOfTime(name) ? [[name, within] as [string, z.ZodType]] : []),
        ...field.operators.map((operator): [string, z.ZodType] => [
          name + operators[operator].suffix,
          toFilterSchema(operator, toValue(field, operator)),
        ]),
      ]),
    ),
    toConditions(parameters, at) {
      const conditions: Record<string, Condition> = {};
      for (const [parameter, value] of Object.entries(parameters)) {
        const { name, operator } = readName(parameter);
        if (!operator || value === undefined) continue;
        const given = typeof value === 'string' && isOfTime(name) ? resolveTime(value, at) : value;
        conditions[name] = both(conditions[name], toCondition(operator, given));
      }
      const wanted = Object.entries(conditions).map(([name, each]) => [name, toWanted(fields[name], each)]);
      return Object.fromEntries(wanted);
    },
    isRelative: (parameters) =>
      Object.entries(parameters).some(
        ([name, value]) => isOfTime(readName(name).name) && relativeTime.test(String(value)),
      ),
  };
}

/** The name of the parameter that applies an operator to a field. */
export function toParameterName(field: string, operator: Operator): string {
  return field + operators[operator].suffix;
}

/** The field and the operator that a parameter names. */
export function readName(parameter: string): { name: string; operator: Operator | undefined } {
  const suffix = /\[\w+\]$/.exec(parameter)?.[0] ?? '';
  const operator = (Object.keys(operators) as Operator[]).find((each) => operators[each].suffix === suffix);
  return { name: parameter.slice(0, parameter.length - suffix.length), operator };
}

/** The schema of a parameter that applies an operator to values of this schema. */
export function toFilterSchema(operator: Operator, value: z.ZodType<string, string>): z.ZodType {
  const { meaning } = operators[operator];
  if (operator === 'isEmpty') return emptiness.optional().describe(meaning);
  const isList = operator === 'any' || operator === 'all' || operator === 'not';
  return (isList ? listOf(value) : value).optional().describe(meaning);
}

/** Values between commas; a comma that belongs to a value has a backslash before it. @param max null: any number */
export function listOf<Value extends string>(
  value: z.ZodType<Value, string>,
  max: number | null = MAX_VALUES,
) {
  const values = z.array(value).min(1);
  const bounded = max === null ? values : values.max(max, `must not have more than ${max} values`);
  return z
    .string()
    .transform((given) => [...new Set(split(given))])
    .pipe(bounded.meta({ item: 'value' }));
}

function split(given: string): string[] {
  return (given.match(/(?<=^|,)(?:[^,\\]|\\.?)*/gs) ?? ['']).map((each) => each.replace(/\\(.)/gs, '$1'));
}

function toCondition(operator: Operator, value: unknown): Condition {
  const isWithin = typeof value === 'object' && !Array.isArray(value);
  return isWithin ? (value as Condition) : { [operator]: value };
}

/** The condition that holds when both do: where both have a bound, the narrower one. */
function both(one: Condition = {}, other: Condition): Condition {
  const gte = toSorted(one.gte, other.gte).at(-1);
  const [lte] = toSorted(one.lte, other.lte);
  return { ...one, ...other, ...(gte && { gte }), ...(lte && { lte }) };
}

/** An index leads to what is wanted; to what is not, only a walk past everything. */
function toWanted(field: FilterField | undefined, condition: Condition): Condition {
  const { not, any, ...rest } = condition;
  if (!not || !field?.words || field.operators.includes('isEmpty')) return condition;
  return { ...rest, any: (any ?? field.words).filter((word) => !not.includes(word)) };
}
