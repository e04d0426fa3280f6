import { type Condition, listConditions, listCustomConditions } from '../helpdesk/list/ticket-filter.ts';
import {
  type ConversationTime,
  isConversationTime,
  isWordSort,
  presences,
  sortWithin,
  type TicketPosition,
  type TicketQuery,
  type ValueSort,
  type WordSort,
  wordsOf,
} from '../helpdesk/tickets/ticket-store.ts';

/** Part of a list that is in the order of one index. */
export interface ListPart extends TicketQuery {
  sort: ValueSort;
  /** Path of the part within the list: see `TicketPosition`. */
  path?: readonly string[];
}

/** Indexed filters, from the usually most selective to the least. */
const bySelectivity = [
  'id',
  'external_id',
  'follow_up_of',
  'requester',
  'assignee',
  'tag',
  'type',
  'priority',
  'status',
] as const;

/** Filter served by an index. An id matches at most one ticket; the others have an index in both orders of time. */
export type IndexedFilter = (typeof bySelectivity)[number];

/** Filters with an index in further orders, which are common for lists of open work. */
const workFilters: readonly IndexedFilter[] = ['id', 'assignee', 'status'];
const byField: Readonly<Record<ValueSort['field'], readonly IndexedFilter[]>> = {
  created_at: bySelectivity,
  updated_at: bySelectivity,
  due_at: workFilters,
  waiting_since: workFilters,
  last_reply_at: workFilters,
  last_customer_reply_at: ['id'],
  reply_count: ['id'],
};

/** Filter that selects the index, and the values at which its walks begin. */
export interface DrivingFilter {
  name: IndexedFilter;
  values: readonly string[];
  /** Second filter that the index continues with. */
  next?: { name: NextFilter; values: readonly string[] } | undefined;
}

/** Filters that an index in order of creation can continue with, such as an agent's open tickets. */
export const nextFilters = ['status', 'priority'] as const;

export type NextFilter = (typeof nextFilters)[number];

/**
 * Filters whose index in order of creation continues with a second filter. Without the index of priority and status,
 * open tickets sorted by priority would be found among all of a priority, row by row.
 */
export const pairedFilters: { readonly [Name in IndexedFilter]?: readonly NextFilter[] } = {
  assignee: nextFilters,
  tag: nextFilters,
  priority: ['status'],
};

/**
 * Selects the filter that determines the index; the others are checked on the tickets it leads to. The choice does not
 * use statistics, so that the cost of a query does not change over time. Lists of a reader and of deleted tickets are
 * short: each takes precedence over every filter.
 */
export function findDrivingFilter(query: TicketQuery): DrivingFilter | undefined {
  const { reader, isDeleted = false, filter, sort } = query;
  if (reader !== undefined || isDeleted) return undefined;
  const candidates = isWordSort(sort) ? bySelectivity : byField[sort.field];
  for (const name of candidates) {
    const values = toValues(filter[name]);
    if (values) return { name, values, next: findNext(query, pairedFilters[name], values.length) };
  }
  return undefined;
}

/** Limits the number of walks; more would cost more than checking each ticket that the filter leads to. */
const MAX_WALKS = 40;

/** Returns the second filter; if both are given, the one with fewer values. */
function findNext(
  { filter, sort }: TicketQuery,
  names: readonly NextFilter[] = [],
  walks: number,
): DrivingFilter['next'] {
  if (sort.field !== 'created_at') return undefined;
  const given = names.flatMap((name) => {
    const values = filter[name]?.any ?? [];
    return values.length > 0 && values.length * walks <= MAX_WALKS ? [{ name, values }] : [];
  });
  return given.toSorted((a, b) => a.values.length - b.values.length)[0];
}

function toValues({ any, all }: Condition = {}): readonly string[] | undefined {
  return any ?? all?.slice(0, 1);
}

/** Whether the indexes lead only to matching tickets. */
export function isServedByIndexes(query: TicketQuery): boolean {
  if (query.search || listCustomConditions(query.filter).length > 0) return false;
  return toParts(query).every((part) =>
    Object.keys(withoutDriving(part)).every((name) => name === part.sort.field),
  );
}

/** Returns the conditions that remain to be checked on the tickets that the driving filter leads to. */
export function withoutDriving(part: ListPart): TicketQuery['filter'] {
  const driver = findDrivingFilter(part);
  const remaining = Object.entries(part.filter).filter(([name, condition = {}]) => {
    const isOnlyAny = 'any' in condition && Object.keys(condition).length === 1;
    return !isOnlyAny || (name !== driver?.name && name !== driver?.next?.name);
  });
  return Object.fromEntries(remaining);
}

/**
 * Splits a list into parts, each in the order of one index. Sorting by words yields a part for each word; sorting by
 * due date or a time of the conversation yields two: tickets with a value first, then tickets without one. Other lists
 * have one part, or none if a filter has no values.
 */
export function toParts(query: TicketQuery): ListPart[] {
  if (listConditions(query.filter).some(([, { any }]) => any?.length === 0)) return [];
  return divide(query);
}

/** Part that may be split further. */
type Divisible = TicketQuery & Pick<ListPart, 'path'>;

function divide(query: Divisible): ListPart[] {
  const { sort } = query;
  if (isWordSort(sort)) return divideByWord(query, sort);
  if (isConversationTime(sort.field)) return divideByPresence(query, sort);
  return sort.field === 'due_at' ? toDueParts({ ...query, sort }) : [{ ...query, sort }];
}

function divideByWord(query: Divisible, sort: WordSort): ListPart[] {
  const { any, not = [], ...others } = query.filter[sort.field] ?? {};
  const order = wordsOf(sort);
  return between(query, sort.direction === 'asc' ? order : order.toReversed()).flatMap((branch) => {
    const word = branch.path?.at(-1) ?? '';
    if (not.includes(word) || any?.includes(word) === false) return [];
    const filter = { ...query.filter, [sort.field]: { ...others, any: [word] } };
    return divide({ ...branch, filter, sort: sortWithin(sort) });
  });
}

/** Splits by presence of a time; tickets without it are in order of creation. */
function divideByPresence(query: Divisible, { field, direction }: ValueSort): ListPart[] {
  const { isEmpty, ...bounds } = query.filter[field as ConversationTime] ?? {};
  return between(query, presences).flatMap((branch): ListPart[] => {
    const isNone = branch.path?.at(-1) === 'none';
    if (isEmpty === !isNone || (isNone && Object.keys(bounds).length > 0)) return [];
    const filter = { ...query.filter, [field]: { ...bounds, isEmpty: isNone } };
    return [{ ...branch, filter, sort: { field: isNone ? 'created_at' : field, direction } }];
  });
}

/**
 * Creates a branch for each label between the two positions of the list; each position applies only to its own branch.
 */
function between({ after, until, path = [], ...query }: Divisible, labels: readonly string[]): Divisible[] {
  const depth = path.length;
  const labelOf = (position: TicketPosition | undefined) => position?.path?.[depth] ?? '';
  const first = after ? labels.indexOf(labelOf(after)) : 0;
  const last = until ? labels.indexOf(labelOf(until)) : labels.length - 1;
  return labels.slice(first, last + 1).map((label) => ({
    ...query,
    path: [...path, label],
    ...(after && labelOf(after) === label && { after }),
    ...(until && labelOf(until) === label && { until }),
  }));
}

function toDueParts({ after, until, ...rest }: ListPart): ListPart[] {
  const { isEmpty, ...bounds } = rest.filter.due_at ?? {};
  const toPart = (isUndated: boolean, from: TicketPosition | undefined, to: TicketPosition | undefined) => ({
    ...rest,
    filter: { ...rest.filter, due_at: { ...bounds, isEmpty: isUndated } },
    ...(from && { after: from }),
    ...(to && { until: to }),
  });
  const isIn = (position: TicketPosition | undefined, isUndated: boolean) =>
    position && (position.value === null) === isUndated ? position : undefined;
  const hasDated = isEmpty !== true && after?.value !== null;
  const hasUndated = isEmpty !== false && Object.keys(bounds).length === 0 && (until?.value ?? null) === null;
  return [
    ...(hasDated ? [toPart(false, isIn(after, false), isIn(until, false))] : []),
    ...(hasUndated ? [toPart(true, isIn(after, true), isIn(until, true))] : []),
  ];
}

/** Converts a position in a part to one in the whole list. */
export function toListPosition(position: TicketPosition, { path }: ListPart): TicketPosition {
  return path === undefined ? position : { ...position, path };
}

/** Whether a list is ordered only by id. */
export function isUndated({ filter, sort }: ListPart): boolean {
  return sort.field === 'due_at' && filter.due_at?.isEmpty === true;
}

/** Result of a walk: its position after the given number of steps, or the smaller number of steps at its end. */
export type WalkResult = { step: TicketPosition } | { steps: number };
