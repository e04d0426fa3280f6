import { type QueryFilter, trusted } from 'mongoose';
import {
  type Condition,
  conditionsOf,
  type FieldName,
  filterFields,
  isNumeric,
  toCustomField,
  toCustomValues,
} from '../../tickets/ticket-filter.ts';
import type { TicketQuery } from '../../tickets/ticket-store.ts';
import { filterPaths, timePath } from './indexes.ts';
import type { TicketDocument } from './ticket-document.ts';

type Conditions = QueryFilter<TicketDocument>[];

const ranges = ['gte', 'gt', 'lte', 'lt'] as const;

/**
 * What a filter asks of documents. Operators are only ever written here; what a caller gave is always a value of one.
 */
export function toConditions({ filter, reader }: Pick<TicketQuery, 'filter' | 'reader'>): Conditions {
  return conditionsOf(filter).flatMap(([name, condition]): Conditions => {
    const custom = toCustomField(name);
    if (custom !== undefined) return ofCustomField(custom, condition);
    if (name === 'tag') return ofList('tags', 'tags', condition);
    const list = lists[name];
    if (list) return ofList(name, list, condition);
    const path = toPath(name as FieldName, reader);
    const { kind } = filterFields[name as FieldName];
    if (kind === 'time') return ofTime(path, condition);
    return kind === 'count' ? ofCount(path, condition) : ofScalar(path, condition);
  });
}

/** Lists of what is more than a word, and where the words are that their members are known by. */
const lists: Readonly<Record<string, string>> = {
  cc: 'cc.email',
  followers: 'followers.email',
  links: 'links.ticket_id',
};

function toPath(name: FieldName, reader: string | undefined): string {
  if (name === 'assignee' || name === 'requester' || name === 'id') return filterPaths[name];
  if (name === 'created_at' || name === 'updated_at') return timePath(name, reader);
  return name === 'version' && reader !== undefined ? 'public_version' : name;
}

function ofScalar(path: string, { any, not, isEmpty }: Condition): Conditions {
  return [
    ...(any ? [{ [path]: trusted({ $in: any }) }] : []),
    ...(not ? [{ [path]: trusted({ $nin: not }) }] : []),
    ...(isEmpty === undefined ? [] : [{ [path]: trusted(isEmpty ? { $eq: null } : { $ne: null }) }]),
  ];
}

function ofTime(path: string, { isEmpty, ...condition }: Condition): Conditions {
  const bounds = ofRange(path, condition, (bound) => new Date(bound));
  return isEmpty === undefined ? bounds : [...bounds, ...ofScalar(path, { isEmpty })];
}

function ofCount(path: string, { any, not, ...condition }: Condition): Conditions {
  return [
    ...(any ? [{ [path]: trusted({ $in: any.map(Number) }) }] : []),
    ...(not ? [{ [path]: trusted({ $nin: not.map(Number) }) }] : []),
    ...ofRange(path, condition, Number),
  ];
}

function ofRange(path: string, condition: Condition, toValue: (bound: string) => Date | number): Conditions {
  return ranges.flatMap((operator) => {
    const bound = condition[operator];
    return bound === undefined ? [] : [{ [path]: trusted({ [`$${operator}`]: toValue(bound) }) }];
  });
}

/** @param path of what its members are known by */
function ofList(list: string, path: string, { any, all, not, isEmpty }: Condition): Conditions {
  return [
    ...(any ? [{ [path]: trusted({ $in: any }) }] : []),
    ...(all ?? []).map((value) => ({ [path]: { $eq: value } })),
    ...(not ? [{ [path]: trusted({ $nin: not }) }] : []),
    ...(isEmpty === undefined ? [] : [{ [list]: trusted(isEmpty ? { $size: 0 } : { $not: { $size: 0 } }) }]),
  ];
}

/** Fields are pairs of key and value (see `TicketDocument`); a value may be a list. */
function ofCustomField(key: string, { any, all = [], not, isEmpty, ...condition }: Condition): Conditions {
  const isOneOf = (texts: readonly string[]) => has(key, { $in: texts.flatMap(toCustomValues) });
  const bounds = ranges.flatMap((operator) => {
    const bound = condition[operator];
    if (bound === undefined) return [];
    const value = isNumeric(bound) ? Number(bound) : bound;
    return [has(key, { [`$${operator}`]: value, $not: { $type: 'array' } })];
  });
  const wanted = [...(any ? [any] : []), ...all.map((value) => [value])].map(isOneOf);
  const unwanted = not ? [hasNot(isOneOf(not))] : [];
  if (isEmpty === undefined) return [...wanted, ...unwanted, ...bounds].map(asCondition);
  const isThere = has(key, { $nin: [null, []] });
  return [...wanted, ...unwanted, ...bounds, isEmpty ? hasNot(isThere) : isThere].map(asCondition);
}

function has(key: string, value: object): object {
  return { $elemMatch: { key: { $eq: key }, value } };
}

function hasNot(match: object): object {
  return { $not: match };
}

function asCondition(match: object): Conditions[number] {
  return { custom_fields: trusted(match) };
}
