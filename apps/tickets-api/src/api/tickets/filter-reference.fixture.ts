import type { TicketRecord } from '../../helpdesk/commit/ticket-commit.ts';
import {
  type Condition,
  type CustomCondition,
  listConditions,
  listCustomConditions,
} from '../../helpdesk/list/ticket-filter.ts';
import { listReaders, type Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { TicketPosition, TicketQuery, TicketSort } from '../../helpdesk/tickets/ticket-store.ts';

/** Reference implementation of lists in plain JavaScript. */
export function select(all: readonly TicketRecord[], query: TicketQuery): TicketRecord[] {
  const { after, until, limit } = query;
  const position = (record: TicketRecord) => toPosition(record, query);
  return all
    .filter((record) => matches(record, query))
    .filter((record) => !after || compare(position(record), after, query) > 0)
    .filter((record) => !until || compare(position(record), until, query) <= 0)
    .sort((one, another) => compare(position(one), position(another), query))
    .slice(0, limit);
}

/** Whether the ticket is on any page of a list. */
export function matches(
  record: TicketRecord,
  { reader, isDeleted = false, filter }: Pick<TicketQuery, 'reader' | 'isDeleted' | 'filter'>,
): boolean {
  const { ticket, publicUpdatedAt: updated_at, publicVersion: version } = record;
  const seen = reader === undefined ? ticket : { ...ticket, updated_at, version };
  return (
    (reader === undefined || listReaders(ticket).includes(reader)) &&
    isDeleted === (ticket.deleted_at !== null) &&
    listConditions(filter).every(([name, condition]) => holds(seen, name, condition)) &&
    listCustomConditions(filter).every(([key, condition]) =>
      holdsForCustomField(ticket.custom_fields[key] ?? null, condition),
    )
  );
}

/** Returns the position of a ticket in the list of the reader or of staff. */
export function toPosition(
  { ticket, publicUpdatedAt }: TicketRecord,
  { sort, reader }: Pick<TicketQuery, 'sort' | 'reader'>,
): TicketPosition {
  return toPlace(reader === undefined ? ticket : { ...ticket, updated_at: publicUpdatedAt }, sort);
}

function toPlace(ticket: Ticket, sort: TicketSort): TicketPosition {
  const { field } = sort;
  if (field === 'priority' || field === 'status') {
    const { path = [], ...place } = toPlace(ticket, innerOf(sort));
    return { ...place, path: [ticket[field], ...path] };
  }
  const value = ticket[field];
  if (!['waiting_since', 'last_reply_at', 'last_customer_reply_at'].includes(field))
    return { value, id: ticket.id };
  return value === null
    ? { value: ticket.created_at, id: ticket.id, path: ['none'] }
    : { value, id: ticket.id, path: ['some'] };
}

function holds(ticket: Ticket, name: string, condition: Condition): boolean {
  if (name === 'version' || name === 'reply_count') return holdsForCount(ticket[name], condition);
  const values = valuesOf(ticket, name);
  return (
    holdsForMembers(values, condition) &&
    values.every((value) => isWithin(value, condition)) &&
    (values.length > 0 || !isRange(condition))
  );
}

function valuesOf(ticket: Ticket, name: string): readonly string[] {
  if (name === 'tag') return ticket.tags;
  if (name === 'cc' || name === 'followers') return ticket[name].map(({ id }) => id);
  if (name === 'links') return ticket.links.map(({ ticket_id }) => ticket_id);
  if (name === 'assignee' || name === 'requester') return ticket[name] ? [ticket[name].id] : [];
  const value = ticket[name as keyof Ticket];
  return value === null ? [] : [String(value)];
}

function holdsForMembers<Value>(
  values: readonly Value[],
  { any, all, not, isEmpty }: Pick<Condition<Value>, 'any' | 'all' | 'not' | 'isEmpty'>,
): boolean {
  return (
    (!any || any.some((each) => values.includes(each))) &&
    (!all || all.every((each) => values.includes(each))) &&
    !not?.some((each) => values.includes(each)) &&
    (isEmpty === undefined || isEmpty === (values.length === 0))
  );
}

function holdsForCount(value: number, condition: Condition): boolean {
  return (
    holdsForMembers([String(value)], condition) &&
    Object.entries(condition).every(([name, bound]) =>
      name in comparisons ? comparisons[name as Comparison](value, Number(bound)) : true,
    )
  );
}

function holdsForCustomField(value: Ticket['custom_fields'][string], condition: CustomCondition): boolean {
  const values: readonly unknown[] = value === null ? [] : [value].flat();
  const bounds = Object.entries(condition).filter(([name]) => name in comparisons);
  return (
    holdsForMembers<unknown>(values, condition) &&
    bounds.every(([name, bound]) => {
      const [one, other] = [value, bound].map<Comparable>(condition.isDecimal ? toScaled : toComparable);
      return (
        one !== undefined &&
        typeof one === typeof other &&
        comparisons[name as Comparison](one as never, other as never)
      );
    })
  );
}

type Comparable = string | number | bigint | undefined;

/** Returns a comparable number or date; `undefined` for any other value. */
function toComparable(value: unknown): Comparable {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

/** Converts a stored decimal number to an integer count of its smallest unit. */
function toScaled(value: unknown): Comparable {
  const kept = /^(?!-0$)(-?)(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/;
  const [, sign, whole, fraction = ''] = kept.exec(String(value)) ?? [];
  if (typeof value !== 'string' || whole === undefined) return undefined;
  return BigInt(`${sign}${whole}${fraction.padEnd(30, '0')}`);
}

const comparisons = {
  gte: <Value>(value: Value, bound: Value) => value >= bound,
  gt: <Value>(value: Value, bound: Value) => value > bound,
  lte: <Value>(value: Value, bound: Value) => value <= bound,
  lt: <Value>(value: Value, bound: Value) => value < bound,
};
type Comparison = keyof typeof comparisons;

function isRange(condition: Condition): boolean {
  return Object.keys(condition).some((name) => name in comparisons);
}

function isWithin(value: string, condition: Condition): boolean {
  return (Object.keys(comparisons) as Comparison[]).every((name) => {
    const bound = condition[name];
    return bound === undefined || comparisons[name](value, bound);
  });
}

/** Returns the sort order within one part of the list. */
function innerOf(sort: TicketSort): TicketSort {
  const byCreation = { field: 'created_at', direction: sort.direction } as const;
  return 'next' in sort && sort.next ? sort.next : byCreation;
}

/** Compares tickets by the part of the list, then by the order within it. */
function compare(one: TicketPosition, another: TicketPosition, { sort }: Pick<TicketQuery, 'sort'>): number {
  const factor = sort.direction === 'asc' ? 1 : -1;
  const [[a, ...rest], [b, ...otherRest]] = [one.path ?? [], another.path ?? []];
  if (a === undefined || b === undefined || (a === b && a === 'some')) {
    return compareValues(one, another, factor);
  }
  if (a === b) {
    const [first, second] = [toInner(one, rest), toInner(another, otherRest)];
    return compare(first, second, { sort: innerOf(sort) });
  }
  if (a === 'none' || b === 'none') return a === 'none' ? 1 : -1;
  return factor * (rankOf(a) - rankOf(b));
}

function toInner({ path: _, ...place }: TicketPosition, path: readonly string[]): TicketPosition {
  return path.length > 0 ? { ...place, path } : place;
}

/** Compares values; tickets without a value come last in either direction. */
function compareValues(one: TicketPosition, another: TicketPosition, factor: number): number {
  if (one.value === another.value) return one.id === another.id ? 0 : factor * (one.id < another.id ? -1 : 1);
  if (one.value === null || another.value === null) return one.value === null ? 1 : -1;
  return factor * (one.value < another.value ? -1 : 1);
}

/** Returns the rank of a priority or status; no word is both. */
function rankOf(word: string): number {
  return ['low', 'normal', 'high', 'urgent', 'new', 'open', 'pending', 'hold', 'solved', 'closed'].indexOf(
    word,
  );
}
