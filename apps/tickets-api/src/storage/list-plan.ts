import { type Condition, conditionsOf, customConditionsOf } from '../tickets/ticket-filter.ts';
import {
  isWordSort,
  type TicketPosition,
  type TicketQuery,
  type TimeSort,
  type WordSort,
  wordOrders,
} from '../tickets/ticket-store.ts';

/** A part of a list that is in the order of one index. */
export interface ListPart extends TicketQuery {
  sort: TimeSort;
  /** The word of all its tickets, where the list is sorted by words. */
  word?: string;
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

/** What has an index in order of due dates as well: what people have to do is what they look at in that order. */
const byDueDate: readonly IndexedFilter[] = ['id', 'assignee', 'status'];

/** The filter that chooses the index, and the values by which the walks of it begin. */
export interface DrivingFilter {
  name: IndexedFilter;
  values: readonly string[];
}

/**
 * Which of the given filters chooses the index; the others are checked on the tickets it leads to. The choice does not
 * depend on statistics, so a query costs the same today as it did when it was tested. A reader's own tickets are few,
 * and deleted ones soon purged: each prevails over every filter.
 */
export function findDrivingFilter(query: TicketQuery): DrivingFilter | undefined {
  const { reader, isDeleted = false, filter, sort } = query;
  if (reader !== undefined || isDeleted) return undefined;
  const candidates = sort.field === 'due_at' ? byDueDate : byNarrowness;
  for (const name of candidates) {
    const values = toValues(filter[name]);
    if (values) return { name, values };
  }
  return undefined;
}

function toValues({ any, all }: Condition = {}): readonly string[] | undefined {
  return any ?? all?.slice(0, 1);
}

/** Whether indexes lead to nothing but matches. */
export function isServed(query: TicketQuery): boolean {
  if (query.search || customConditionsOf(query.filter).length > 0) return false;
  return toParts(query).every((part) => {
    const driver = findDrivingFilter(part);
    return conditionsOf(part.filter).every(([name, condition]) => {
      if (name === part.sort.field) return true;
      const isOnlyAny = condition.any !== undefined && Object.keys(condition).length === 1;
      return name === driver?.name && isOnlyAny;
    });
  });
}

/**
 * The parts of a list that are each in the order of one index. By due date there are two: first what is due at some
 * time, then what is not. By words there is one for each word. The others are of one part; where a field is to have one
 * of no values, there is none.
 */
export function toParts(query: TicketQuery): ListPart[] {
  const { sort } = query;
  if (conditionsOf(query.filter).some(([, { any }]) => any?.length === 0)) return [];
  if (isWordSort(sort)) return toWordParts(query, sort);
  return sort.field === 'due_at' ? toDueParts({ ...query, sort }) : [{ ...query, sort }];
}

function toWordParts({ after, until, ...query }: TicketQuery, { field, direction }: WordSort): ListPart[] {
  const { any, not = [], ...others } = query.filter[field] ?? {};
  const order: readonly string[] = wordOrders[field];
  const words = direction === 'asc' ? order : order.toReversed();
  const place = ({ word = '' }: TicketPosition) => words.indexOf(word);
  const [first, last] = [after ? place(after) : 0, until ? place(until) : words.length - 1];
  return words.slice(first, last + 1).flatMap((word) => {
    if (not.includes(word) || any?.includes(word) === false) return [];
    const part: ListPart = {
      ...query,
      filter: { ...query.filter, [field]: { ...others, any: [word] } },
      sort: { field: 'created_at', direction },
      word,
    };
    if (after?.word === word) part.after = after;
    if (until?.word === word) part.until = until;
    return [part];
  });
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
export function toPlaceInList(place: TicketPosition, { word }: ListPart): TicketPosition {
  return word === undefined ? place : { ...place, word };
}

/** Whether a list is only in order of ids. */
export function isUndated({ filter, sort }: ListPart): boolean {
  return sort.field === 'due_at' && filter.due_at?.isEmpty === true;
}

/** How far a walk came: to its place after so many steps, or to its end after fewer. */
export type Walked = { step: TicketPosition } | { steps: number };
