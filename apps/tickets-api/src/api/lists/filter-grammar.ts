import { z } from 'zod';
import {
  type Condition,
  type Operator,
  toParameterName,
  toSorted,
} from '../../helpdesk/list/ticket-filter.ts';
import { hasYear, inputTimestamp } from '../../wire/schema/scalars.ts';
import { oneOf } from '../http/query-parameters.ts';

const SECOND_MS = 1_000;
const unitsMs = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
} as const;

/** Relative time: `now`, or an offset in seconds, minutes, hours, days or weeks, such as `-7d` or `+2h`. */
const relativeTime = /^(?:now|[+-]\d{1,5}[smhdw])$/;

/** Resolves a relative time against `at`; returns other times unchanged. */
function resolveTime(text: string, at: string): string {
  if (!relativeTime.test(text)) return text;
  if (text === 'now') return at;
  const unitMs = unitsMs[text.at(-1) as keyof typeof unitsMs];
  return new Date(Date.parse(at) + Number(text.slice(0, -1)) * unitMs).toISOString();
}

/** Field that a list can be filtered by. */
export interface FilterField {
  /** Kind of its values: `time`, or a key of the value schemas. */
  kind: string;
  /** All possible values, if they are fixed. */
  words?: readonly string[];
  operators: readonly Operator[];
}

/** Filters of one list: query parameters, and the conditions that they express. */
export interface Filters {
  parameters: Readonly<Record<string, z.ZodType>>;
  /** Converts parsed parameters to conditions; relative times refer to `at`. */
  toConditions(parameters: Readonly<Record<string, unknown>>, at: string): Record<string, Condition>;
  /** Whether a parsed parameter is a relative time. */
  isRelative(parameters: Readonly<Record<string, unknown>>): boolean;
}

const MAX_VALUES = 20;

/** Description of each operator. */
const meanings: Readonly<Record<Operator, string>> = {
  any: 'Matches any of these values, separated by commas',
  all: 'Matches all of these values, separated by commas',
  not: 'Matches none of these values, separated by commas',
  gte: 'Greater than or equal to this value, or at or after this time',
  gt: 'Greater than this value, or after this time; a date excludes its whole day',
  lte: 'Less than or equal to this value, or at or before this time; a date includes its whole day',
  lt: 'Less than this value, or before this time',
  isEmpty: '`true` matches an absent value, `false` a present one',
};
const operators = Object.keys(meanings) as readonly Operator[];

const day = z.iso.date().refine(hasYear);
const [dayBegins, dayEnds] = ['T00:00:00.000Z', 'T23:59:59.999Z'];
const timeMessage =
  'must be an RFC 3339 time such as 2026-01-31T09:00:00Z (percent-encode + as %2B), or a date such as 2026-01-31';
const boundMessage = `${timeMessage}, or relative to now such as -7d (units: s, m, h, d, w)`;

/**
 * Schema of a time or a UTC date. A date stands for its first millisecond with `gte` and `lt`, and for its last with
 * `gt` and `lte`. A relative time is resolved later.
 */
function timeOrDay(operator: Operator) {
  const ofDay = operator === 'gt' || operator === 'lte' ? dayEnds : dayBegins;
  const relative = z.string().regex(relativeTime, boundMessage);
  return z.union([inputTimestamp, day.transform((text) => text + ofDay), relative], { error: boundMessage });
}

/** Schema of a time filter without an operator: exactly this time, or any time of this day. */
const within = z
  .union(
    [
      inputTimestamp.transform((at): Condition => ({ gte: at, lte: at })),
      day.transform((text): Condition => ({ gte: text + dayBegins, lte: text + dayEnds })),
    ],
    { error: timeMessage },
  )
  .optional()
  .describe('At this time, or on this UTC date');

const emptiness = oneOf(['true', 'false']).transform((word) => word === 'true');

/** Creates the filters of a list from its fields. @param values schemas of values by kind */
export function createFilters(
  fields: Readonly<Record<string, FilterField>>,
  values: Readonly<Record<string, z.ZodType<string, string>>>,
): Filters {
  function toValue({ kind, words }: FilterField, operator: Operator): z.ZodType<string, string> {
    if (kind === 'time') return timeOrDay(operator);
    const value = words ? oneOf(words) : values[kind];
    if (!value) throw new Error(`No schema for values of kind ${kind}.`);
    return value;
  }

  const isOfTime = (name: string) => fields[name]?.kind === 'time';

  return {
    parameters: Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]): [string, z.ZodType][] => [
        ...(isOfTime(name) ? [[name, within] as [string, z.ZodType]] : []),
        ...field.operators.map((operator): [string, z.ZodType] => [
          toParameterName(name, operator),
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
        conditions[name] = intersect(conditions[name], toCondition(operator, given));
      }
      const preferred = Object.entries(conditions).map(([name, each]) => [
        name,
        toPositive(fields[name], each),
      ]);
      return Object.fromEntries(preferred);
    },
    isRelative: (parameters) =>
      Object.entries(parameters).some(
        ([name, value]) => isOfTime(readName(name).name) && relativeTime.test(String(value)),
      ),
  };
}

/** Splits the name of a parameter into field and operator. */
export function readName(parameter: string): { name: string; operator: Operator | undefined } {
  const suffix = /\[\w+\]$/.exec(parameter)?.[0] ?? '';
  const operator = operators.find((each) => toParameterName('', each) === suffix);
  return { name: parameter.slice(0, parameter.length - suffix.length), operator };
}

/** Creates the schema of a parameter that applies an operator to values of a schema. */
export function toFilterSchema(operator: Operator, value: z.ZodType<string, string>): z.ZodType {
  const meaning = meanings[operator];
  if (operator === 'isEmpty') return emptiness.optional().describe(meaning);
  const isList = operator === 'any' || operator === 'all' || operator === 'not';
  return (isList ? listOf(value) : value).optional().describe(meaning);
}

/** Creates the schema of a comma-separated list; a backslash escapes a comma in a value. @param max null: unlimited */
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

/** Combines two conditions; of two bounds, the narrower one applies. */
function intersect(one: Condition = {}, other: Condition): Condition {
  const gte = toSorted(one.gte, other.gte).at(-1);
  const [lte] = toSorted(one.lte, other.lte);
  return { ...one, ...other, ...(gte && { gte }), ...(lte && { lte }) };
}

/** Rewrites an exclusion over fixed values as an inclusion, because only an inclusion can use an index. */
function toPositive(field: FilterField | undefined, condition: Condition): Condition {
  const { not, any, ...rest } = condition;
  if (!not || !field?.words || field.operators.includes('isEmpty')) return condition;
  return { ...rest, any: (any ?? field.words).filter((word) => !not.includes(word)) };
}
