import { type Condition, conditionsOf, customConditionsOf } from '../helpdesk/list/ticket-filter.ts';
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

/** A part of a list that is in the order of one index. */
export interface ListPart extends TicketQuery {
  sort: ValueSort;
  /** The part that it is: see `TicketPosition`. */
  path?: readonly string[];
}

/** From the one that usually leaves the fewest tickets to the one that leaves the most. */
const byNarrowness = [
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

/** A filter that is served by an index: an id leads to one ticket at most, the others have one in both orders of time. */
export type IndexedFilter = (typeof byNarrowness)[number];

/** What has an index in other orders as well: what people have to do is what they look at in those orders. */
const ofWork: readonly IndexedFilter[] = ['id', 'assignee', 'status'];
const byField: Readonly<Record<ValueSort['field'], readonly IndexedFilter[]>> = {
  created_at: byNarrowness,
  updated_at: byNarrowness,
  due_at: ofWork,
  waiting_since: ofWork,
  last_reply_at: ofWork,
  last_customer_reply_at: ['id'],
  reply_count: ['id'],
};

/** The filter that chooses the index, and the values by which the walks of it begin. */
export interface DrivingFilter {
  name: IndexedFilter;
  values: readonly string[];
  /** Another filter that the index goes on with. */
  next?: { name: NextFilter; values: readonly string[] } | undefined;
}

/** Filters that indexes in order of creation go on with, such as for an agent's open tickets. */
export const nextFilters = ['status', 'priority'] as const;

export type NextFilter = (typeof nextFilters)[number];

/** Filters whose index in order of creation goes on with another one. */
export const paired = ['assignee', 'tag'] as const;
const hasNext: ReadonlySet<IndexedFilter> = new Set(paired);

/**
 * Which of the given filters chooses the index; the others are checked on the tickets it leads to. The choice does not
 * depend on statistics, so a query costs the same today as it did when it was tested. A reader's own tickets are few,
 * and deleted ones soon purged: each prevails over every filter.
 */
export function findDrivingFilter(query: TicketQuery): DrivingFilter | undefined {
  const { reader, isDeleted = false, filter, sort } = query;
  if (reader !== undefined || isDeleted) return undefined;
  const candidates = isWordSort(sort) ? byNarrowness : byField[sort.field];
  for (const name of candidates) {
    const values = toValues(filter[name]);
    if (values) return { name, values, next: hasNext.has(name) ? findNext(query, values.length) : undefined };
  }
  return undefined;
}

/** More walks at once would cost more than to look at each ticket that the filter leads to. */
const MAX_WALKS = 40;

/** Where both are given, that of fewer values: a list in the order of words has parts of one. */
function findNext({ filter, sort }: TicketQuery, walks: number): DrivingFilter['next'] {
  if (sort.field !== 'created_at') return undefined;
  const given = nextFilters.flatMap((name) => {
    const values = filter[name]?.any ?? [];
    return values.length > 0 && values.length * walks <= MAX_WALKS ? [{ name, values }] : [];
  });
  return given.toSorted((a, b) => a.values.length - b.values.length)[0];
}

function toValues({ any, all }: Condition = {}): readonly string[] | undefined {
  return any ?? all?.slice(0, 1);
}

/** Whether indexes lead to nothing but matches. */
export function isServed(query: TicketQuery): boolean {
  if (query.search || customConditionsOf(query.filter).length > 0) return false;
  return toParts(query).every((part) =>
    Object.keys(withoutDriving(part)).every((name) => name === part.sort.field),
  );
}

/** The conditions that remain to be checked on the tickets which the driving filter leads to. */
export function withoutDriving(part: ListPart): TicketQuery['filter'] {
  const driver = findDrivingFilter(part);
  const remaining = Object.entries(part.filter).filter(([name, condition = {}]) => {
    const isOnlyAny = 'any' in condition && Object.keys(condition).length === 1;
    return !isOnlyAny || (name !== driver?.name && name !== driver?.next?.name);
  });
  return Object.fromEntries(remaining);
}

/**
 * The parts of a list that are each in the order of one index. By words there is one for each word, or more where these
 * are sorted further; by due date and by a time of the conversation there are two: first what has one, then what has
 * none. The others are of one part; where a field is to have one of no values, there is none.
 */
export function toParts(query: TicketQuery): ListPart[] {
  if (conditionsOf(query.filter).some(([, { any }]) => any?.length === 0)) return [];
  return divide(query);
}

/** A part that may have parts itself. */
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

/** What has none of the times is in order of creation. */
function divideByPresence(query: Divisible, { field, direction }: ValueSort): ListPart[] {
  const { isEmpty, ...bounds } = query.filter[field as ConversationTime] ?? {};
  return between(query, presences).flatMap((branch): ListPart[] => {
    const isNone = branch.path?.at(-1) === 'none';
    if (isEmpty === !isNone || (isNone && Object.keys(bounds).length > 0)) return [];
    const filter = { ...query.filter, [field]: { ...bounds, isEmpty: isNone } };
    return [{ ...branch, filter, sort: { field: isNone ? 'created_at' : field, direction } }];
  });
}

/** A branch for each label between the two places of the list; a place is one of its own branch alone. */
function between({ after, until, path = [], ...query }: Divisible, labels: readonly string[]): Divisible[] {
  const depth = path.length;
  const labelOf = (place: TicketPosition | undefined) => place?.path?.[depth] ?? '';
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

/** The place in the whole list that is this one in a part of it. */
export function toPlaceInList(place: TicketPosition, { path }: ListPart): TicketPosition {
  return path === undefined ? place : { ...place, path };
}

/** Whether a list is only in order of ids. */
export function isUndated({ filter, sort }: ListPart): boolean {
  return sort.field === 'due_at' && filter.due_at?.isEmpty === true;
}

/** How far a walk came: to its place after so many steps, or to its end after fewer. */
export type Walked = { step: TicketPosition } | { steps: number };
