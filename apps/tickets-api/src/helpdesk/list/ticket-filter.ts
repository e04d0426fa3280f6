import { type DefinitionKind, statusCategories } from '../definitions/definition.ts';
import { ticketChannels } from '../tickets/ticket.ts';
import type { TicketQuery } from '../tickets/ticket-store.ts';

/** A condition on one field; on a list, `any`, `all` and `not` apply to its members. */
export interface Condition<Value = string> {
  /** The value is one of these; an empty list matches nothing. */
  any?: readonly Value[];
  /** The list has each of these. */
  all?: readonly Value[];
  /** The value is none of these; an empty value matches. */
  not?: readonly Value[];
  gte?: Value;
  gt?: Value;
  lte?: Value;
  lt?: Value;
  /** Whether the value is null, absent or a list without members. */
  isEmpty?: boolean;
}

export type Operator = keyof Condition;

/** Returns the name of the query parameter that applies an operator to a field. */
export function toParameterName(field: string, operator: Operator): string {
  if (operator === 'any') return field;
  return `${field}[${operator === 'isEmpty' ? 'empty' : operator}]`;
}

/** Operators of a range. */
export const ranges = ['gte', 'gt', 'lte', 'lt'] as const;
export type RangeOperator = (typeof ranges)[number];

const members = ['any', 'all', 'not', 'isEmpty'] as const;
const maybeAny = ['any', 'not', 'isEmpty'] as const;
const maybeTime = [...ranges, 'isEmpty'] as const;

/**
 * Fields that filter tickets, with their operators. Customers can't filter by fields that they do not see
 * (`isPublic: false`). Times are RFC 3339 UTC with milliseconds; values for people and links are ids. Subject and
 * description are searched instead (`TicketQuery.search`).
 */
export const filterFields = {
  id: { kind: 'id', operators: ['any', 'not'], isPublic: true },
  status: { kind: 'status', operators: ['any', 'not'], isPublic: true },
  status_category: { kind: 'word', words: statusCategories, operators: ['any', 'not'], isPublic: true },
  priority: { kind: 'priority', operators: ['any', 'not'], isPublic: true },
  type: { kind: 'type', operators: maybeAny, isPublic: true },
  channel: { kind: 'word', words: ticketChannels, operators: ['any', 'not'], isPublic: true },
  assignee: { kind: 'person', operators: maybeAny, isPublic: true },
  requester: { kind: 'person', operators: maybeAny, isPublic: true },
  cc: { kind: 'person', operators: members, isPublic: true },
  followers: { kind: 'person', operators: members, isPublic: false },
  tag: { kind: 'tag', operators: members, isPublic: false },
  external_id: { kind: 'text', operators: maybeAny, isPublic: false },
  follow_up_of: { kind: 'id', operators: maybeAny, isPublic: false },
  links: { kind: 'id', operators: members, isPublic: false },
  due_at: { kind: 'time', operators: maybeTime, isPublic: true },
  first_replied_at: { kind: 'time', operators: maybeTime, isPublic: true },
  last_reply_at: { kind: 'time', operators: maybeTime, isPublic: true },
  last_customer_reply_at: { kind: 'time', operators: maybeTime, isPublic: true },
  waiting_since: { kind: 'time', operators: maybeTime, isPublic: true },
  reply_count: { kind: 'count', operators: ['any', 'not', ...ranges], isPublic: true },
  solved_at: { kind: 'time', operators: maybeTime, isPublic: true },
  closed_at: { kind: 'time', operators: maybeTime, isPublic: true },
  deleted_at: { kind: 'time', operators: ranges, isPublic: false },
  created_at: { kind: 'time', operators: ranges, isPublic: true },
  updated_at: { kind: 'time', operators: ranges, isPublic: true },
  version: { kind: 'count', operators: ['any', 'not', ...ranges], isPublic: true },
} as const satisfies Record<string, FilterField>;

export interface FilterField {
  kind: 'word' | DefinitionKind | 'person' | 'tag' | 'text' | 'id' | 'time' | 'count';
  words?: readonly string[];
  operators: readonly Operator[];
  isPublic: boolean;
}

export type FieldName = keyof typeof filterFields;
export type CustomFieldName = `custom_fields.${string}`;

/** Operators of custom fields; the type of a field decides which of them it supports. */
export const customFieldOperators: readonly Operator[] = [...members, ...ranges];

/**
 * A condition on a custom field, in stored values. Bounds are numbers or dates and match only numbers or date texts, so
 * values that predate the type of the field are outside every range.
 */
export interface CustomCondition extends Condition<string | number | boolean> {
  /** Whether bounds are decimal numbers in the form of `checkValue`; they match texts in that form. */
  isDecimal?: true;
}

/** Every given condition must hold. */
export type TicketFilter = { [Name in FieldName]?: Condition } & {
  [Name in CustomFieldName]?: CustomCondition;
};

/** Returns the conditions on built-in fields by field name. */
export function listConditions(filter: TicketFilter): [name: FieldName, condition: Condition][] {
  return Object.entries(filter).filter(([name]) => toCustomField(name) === undefined) as [
    FieldName,
    Condition,
  ][];
}

/** Returns the conditions on custom fields by their keys in `custom_fields`. */
export function listCustomConditions(filter: TicketFilter): [key: string, condition: CustomCondition][] {
  return Object.entries(filter).flatMap(([name, condition]): [string, CustomCondition][] => {
    const key = toCustomField(name);
    return key === undefined ? [] : [[key, condition as CustomCondition]];
  });
}

/** Returns the key of a custom field; `undefined` for other fields. */
function toCustomField(name: string): string | undefined {
  return name.startsWith('custom_fields.') ? name.slice('custom_fields.'.length) : undefined;
}

/**
 * Narrows the time range of the sort field by the bounds of the other time, because no ticket is updated before it is
 * created. A scan for tickets updated last year, sorted by creation, then skips all tickets created since.
 */
export function withImpliedRange(query: TicketQuery): TicketQuery {
  const { filter, sort } = query;
  const { created_at = {}, updated_at = {} } = filter;
  if (sort.field === 'created_at') {
    const [lte] = toSorted(created_at.lte, updated_at.lte, updated_at.lt);
    return lte === undefined
      ? query
      : { ...query, filter: { ...filter, created_at: { ...created_at, lte } } };
  }
  if (sort.field === 'updated_at') {
    const gte = toSorted(updated_at.gte, created_at.gte, created_at.gt).at(-1);
    return gte === undefined
      ? query
      : { ...query, filter: { ...filter, updated_at: { ...updated_at, gte } } };
  }
  return query;
}

/** Returns the defined times in ascending order. */
export function toSorted(...times: readonly (string | undefined)[]): string[] {
  return times.filter((time) => time !== undefined).toSorted();
}
