import { type QueryFilter, trusted } from 'mongoose';
import {
  type Condition,
  conditionsOf,
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
    if (name === 'cc' || name === 'followers') return ofList(name, `${name}.email`, condition);
    if (name === 'created_at' || name === 'updated_at') return ofTime(timePath(name, reader), condition);
    const field = filterFields[name as keyof typeof filterFields];
    if (field.kind === 'time') return ofTime(name, condition);
    return ofScalar(name === 'assignee' || name === 'requester' ? filterPaths[name] : name, condition);
  });
}

function ofScalar(path: string, { any, not, isEmpty }: Condition): Conditions {
  return [
    ...(any ? [{ [path]: trusted({ $in: any }) }] : []),
    ...(not ? [{ [path]: trusted({ $nin: not }) }] : []),
    ...(isEmpty === undefined ? [] : [{ [path]: trusted(isEmpty ? { $eq: null } : { $ne: null }) }]),
  ];
}

function ofTime(path: string, { isEmpty, ...condition }: Condition): Conditions {
  const bounds = ranges.flatMap((operator) => {
    const bound = condition[operator];
    return bound === undefined ? [] : [{ [path]: trusted({ [`$${operator}`]: new Date(bound) }) }];
  });
  return isEmpty === undefined ? bounds : [...bounds, ...ofScalar(path, { isEmpty })];
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
