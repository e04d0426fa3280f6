import { ticketChannels, ticketPriorities, ticketStatuses, ticketTypes } from './ticket.ts';

/** What must hold of one field; of a list, `any`, `all` and `not` speak of its members. */
export interface Condition {
  /** It is one of these; of none, nothing is. */
  any?: readonly string[];
  /** It has each of these. */
  all?: readonly string[];
  /** It is none of these; what is empty is none of them. */
  not?: readonly string[];
  gte?: string;
  gt?: string;
  lte?: string;
  lt?: string;
  /** It is null, absent or a list without members; or, with `false`, it is not. */
  isEmpty?: boolean;
}

export type Operator = keyof Condition;

const ranges = ['gte', 'gt', 'lte', 'lt'] as const;
const members = ['any', 'all', 'not', 'isEmpty'] as const;
const maybeAny = ['any', 'not', 'isEmpty'] as const;
const maybeTime = [...ranges, 'isEmpty'] as const;

/**
 * The fields that tickets are found by, and how. Of what customers do not see (`isPublic: false`) they can ask nothing.
 * Times are RFC 3339 UTC with milliseconds; people are named by their e-mail address in lower case; a ticket has the ids
 * of those that it is linked to. Subject and description are searched (`TicketQuery.search`).
 */
export const filterFields = {
  id: { kind: 'id', operators: ['any', 'not'], isPublic: true },
  status: { kind: 'word', words: ticketStatuses, operators: ['any', 'not'], isPublic: true },
  priority: { kind: 'word', words: ticketPriorities, operators: ['any', 'not'], isPublic: true },
  type: { kind: 'word', words: ticketTypes, operators: maybeAny, isPublic: true },
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
  solved_at: { kind: 'time', operators: maybeTime, isPublic: true },
  closed_at: { kind: 'time', operators: maybeTime, isPublic: true },
  deleted_at: { kind: 'time', operators: ranges, isPublic: false },
  created_at: { kind: 'time', operators: ranges, isPublic: true },
  updated_at: { kind: 'time', operators: ranges, isPublic: true },
  version: { kind: 'count', operators: ['any', 'not', ...ranges], isPublic: true },
} as const satisfies Record<string, FilterField>;

export interface FilterField {
  kind: 'word' | 'person' | 'tag' | 'text' | 'id' | 'time' | 'count';
  words?: readonly string[];
  operators: readonly Operator[];
  isPublic: boolean;
}

export type FieldName = keyof typeof filterFields;
export type CustomFieldName = `custom_fields.${string}`;

/**
 * How custom fields are found. A text is compared with texts, and with the number or boolean that it stands for; a bound
 * that is a number with numbers, another one with texts.
 */
export const customFieldOperators: readonly Operator[] = [...members, ...ranges];

/** Every given condition must hold. */
export type TicketFilter = { [Name in FieldName]?: Condition } & { [Name in CustomFieldName]?: Condition };

/** The conditions by the names of their fields. */
export function conditionsOf(
  filter: TicketFilter,
): [name: FieldName | CustomFieldName, condition: Condition][] {
  return Object.entries(filter) as [FieldName | CustomFieldName, Condition][];
}

/** The name of a custom field; `undefined` for other fields. */
export function toCustomField(name: string): string | undefined {
  return name.startsWith('custom_fields.') ? name.slice('custom_fields.'.length) : undefined;
}

/** Whether a bound or value of a custom field stands for a number. */
export function isNumeric(text: string): boolean {
  return /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text);
}

/** What a given text may stand for in a custom field. */
export function toCustomValues(text: string): (string | number | boolean)[] {
  const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };
  const boolean = Object.hasOwn(booleans, text) ? booleans[text] : undefined;
  return [text, ...(isNumeric(text) ? [Number(text)] : []), ...(boolean === undefined ? [] : [boolean])];
}
