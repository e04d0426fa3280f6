import { statusCategories } from '../definitions/categories.ts';
import type { DefinitionKind } from '../definitions/definition.ts';
import { ticketChannels } from '../tickets/ticket.ts';

/** What must hold of one field; of a list, `any`, `all` and `not` speak of its members. */
export interface Condition<Value = string> {
  /** It is one of these; of none, nothing is. */
  any?: readonly Value[];
  /** It has each of these. */
  all?: readonly Value[];
  /** It is none of these; what is empty is none of them. */
  not?: readonly Value[];
  gte?: Value;
  gt?: Value;
  lte?: Value;
  lt?: Value;
  /** It is null, absent or a list without members; or, with `false`, it is not. */
  isEmpty?: boolean;
}

export type Operator = keyof Condition;

/** What is on one side of a bound. */
export const ranges = ['gte', 'gt', 'lte', 'lt'] as const;
export type RangeOperator = (typeof ranges)[number];

const members = ['any', 'all', 'not', 'isEmpty'] as const;
const maybeAny = ['any', 'not', 'isEmpty'] as const;
const maybeTime = [...ranges, 'isEmpty'] as const;

/**
 * The fields that tickets are found by, and how. Of what customers do not see (`isPublic: false`) they can ask nothing.
 * Times are RFC 3339 UTC with milliseconds; people are named by their id; a ticket has the ids
 * of those that it is linked to. Subject and description are searched (`TicketQuery.search`).
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

/** How custom fields are found; which of them a field has is a matter of its type. */
export const customFieldOperators: readonly Operator[] = [...members, ...ranges];

/**
 * What must hold of a custom field, in values such as tickets have. Bounds are numbers or dates, which numbers or texts
 * in the form of dates are compared with: what a field had before it had its type is on no side of them.
 */
export interface CustomCondition extends Condition<string | number | boolean> {
  /** Bounds are decimal numbers, written as `checkValue` has them, and compared with texts that are written so. */
  isDecimal?: true;
}

/** Every given condition must hold. */
export type TicketFilter = { [Name in FieldName]?: Condition } & {
  [Name in CustomFieldName]?: CustomCondition;
};

/** The conditions of fields that every ticket has, by the names of the fields. */
export function conditionsOf(filter: TicketFilter): [name: FieldName, condition: Condition][] {
  return Object.entries(filter).filter(([name]) => toCustomField(name) === undefined) as [
    FieldName,
    Condition,
  ][];
}

/** The conditions of custom fields, by the names that these have in `custom_fields`. */
export function customConditionsOf(filter: TicketFilter): [key: string, condition: CustomCondition][] {
  return Object.entries(filter).flatMap(([name, condition]): [string, CustomCondition][] => {
    const key = toCustomField(name);
    return key === undefined ? [] : [[key, condition as CustomCondition]];
  });
}

/** The name of a custom field; `undefined` for other fields. */
function toCustomField(name: string): string | undefined {
  return name.startsWith('custom_fields.') ? name.slice('custom_fields.'.length) : undefined;
}
