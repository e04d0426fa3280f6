import { type QueryFilter, trusted } from 'mongoose';
import {
  type Condition,
  type CustomCondition,
  type FieldName,
  filterFields,
  listConditions,
  listCustomConditions,
  type RangeOperator,
  ranges,
} from '../../../helpdesk/list/ticket-filter.ts';
import type { TicketQuery } from '../../../helpdesk/tickets/ticket-store.ts';
import { toDecimalRanges } from '../../decimal-range.ts';
import type { TicketDocument } from './ticket-document.ts';
import { filterPaths, timePath } from './ticket-indexes.ts';

type Conditions = QueryFilter<TicketDocument>[];

/**
 * Converts a filter to conditions on documents. Operators are only written here; input of a caller is always a value.
 */
export function toConditions({ filter, reader }: Pick<TicketQuery, 'filter' | 'reader'>): Conditions {
  const ofCustom = listCustomConditions(filter).flatMap(([key, each]) => ofCustomField(key, each));
  const ofEvery = listConditions(filter).flatMap(([name, condition]): Conditions => {
    if (name === 'tag') return ofList('tags', 'tags', condition);
    const list = lists[name];
    if (list) return ofList(name, list, condition);
    const path = toPath(name, reader);
    const { kind } = filterFields[name];
    if (kind === 'time') return ofTime(path, condition);
    return kind === 'count' ? ofCount(path, condition) : ofScalar(path, condition);
  });
  return [...ofEvery, ...ofCustom];
}

/** Lists of objects, with the path that identifies their members. */
const lists: Readonly<Record<string, string>> = {
  cc: 'cc.id',
  followers: 'followers.id',
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

/** @param path path that identifies a member */
function ofList(list: string, path: string, { any, all, not, isEmpty }: Condition): Conditions {
  return [
    ...(any ? [{ [path]: trusted({ $in: any }) }] : []),
    ...(all ?? []).map((value) => ({ [path]: { $eq: value } })),
    ...(not ? [{ [path]: trusted({ $nin: not }) }] : []),
    ...(isEmpty === undefined ? [] : [{ [list]: trusted(isEmpty ? { $size: 0 } : { $not: { $size: 0 } }) }]),
  ];
}

/** Converts a condition on a custom field, a pair of key and value (see `TicketDocument`); the value may be a list. */
function ofCustomField(
  key: string,
  { any, all = [], not, isEmpty, ...condition }: CustomCondition,
): Conditions {
  const included = [...(any ? [any] : []), ...all.map((value) => [value])].map((each) =>
    has(key, { $in: each }),
  );
  const excluded = not ? [hasNot(has(key, { $in: not }))] : [];
  const bounds = ranges.flatMap((operator) => {
    const bound = condition[operator];
    if (bound === undefined) return [];
    return [condition.isDecimal ? hasDecimal(key, operator, String(bound)) : hasBound(key, operator, bound)];
  });
  if (isEmpty === undefined) return [...included, ...excluded, ...bounds].map(asCondition);
  const isThere = has(key, { $nin: [null, []] });
  return [...included, ...excluded, ...bounds, isEmpty ? hasNot(isThere) : isThere].map(asCondition);
}

function hasBound(key: string, operator: RangeOperator, bound: unknown): object {
  const form = typeof bound === 'string' && { $regex: `^[0-9]{4}-[0-9]{2}-[0-9]{2}${END}` };
  return has(key, { [`$${operator}`]: bound, ...form, $not: { $type: 'array' } });
}

/** Matches no superfluous leading zeros, see `checkValue`. */
const noIdleZero = { '': '(?!0[0-9])', '-': '(?!0(?!\\.))' } as const;
/** Matches the end of the text; `$` would also match before a line break. */
const END = '(?![\\s\\S])';

function hasDecimal(key: string, operator: RangeOperator, bound: string): object {
  const alternatives = toDecimalRanges(operator, bound).map(({ sign, digits, text }) => ({
    value: {
      $regex: `^${sign}${noIdleZero[sign]}[0-9]{${digits.from},${digits.to}}(\\.[0-9]*[1-9])?${END}`,
      ...(text && { [`$${text.operator}`]: text.bound }),
      $not: { $type: 'array' },
    },
  }));
  return { $elemMatch: { key: { $eq: key }, $or: alternatives } };
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
