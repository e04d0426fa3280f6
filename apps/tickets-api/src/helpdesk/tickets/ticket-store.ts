import type { CommitOutcome, RecordedRequest, TicketCommit, TicketRecord } from '../commit/ticket-commit.ts';
import { builtInPriorities } from '../definitions/built-in.ts';
import { statusCategories } from '../definitions/categories.ts';
import type { TicketFilter } from '../list/ticket-filter.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import type { SearchableText } from '../search/searchable-text.ts';
import type { Ticket } from './ticket.ts';

/** Times of the conversation, which a ticket need not have. */
export const conversationTimes = ['waiting_since', 'last_reply_at', 'last_customer_reply_at'] as const;
export type ConversationTime = (typeof conversationTimes)[number];

/** In order of a time or a number. */
export interface ValueSort {
  /**
   * The tickets without a value come last in either direction: those that are not due by id, those without a time of
   * their conversation by creation.
   */
  field: 'created_at' | 'updated_at' | 'due_at' | 'reply_count' | ConversationTime;
  direction: 'asc' | 'desc';
}

/** The built-in words of the fields that tickets can be sorted by, in their order. */
export const wordOrders: Readonly<Record<'priority' | 'status', readonly string[]>> = {
  priority: builtInPriorities,
  status: statusCategories,
};

/** In order of a word. */
export interface WordSort {
  field: keyof typeof wordOrders;
  direction: 'asc' | 'desc';
  /** All words that tickets have, in their order, by default the built-in ones; tickets with others are not in the list. */
  order?: readonly string[];
  /** The order of the tickets of one word; by default that of their creation, in the same direction. */
  next?: TicketSort;
}

export type TicketSort = ValueSort | WordSort;

export function isWordSort(sort: TicketSort): sort is WordSort {
  return Object.hasOwn(wordOrders, sort.field);
}

/** The words of a sort, in ascending order. */
export function wordsOf({ field, order = wordOrders[field] }: WordSort): readonly string[] {
  return order;
}

/** The order within the tickets of one word. */
export function sortWithin({ direction, next }: WordSort): TicketSort {
  return next ?? { field: 'created_at', direction };
}

/** Whether it is a time of the conversation. */
export function isConversationTime(field: TicketSort['field']): field is ConversationTime {
  return (conversationTimes as readonly string[]).includes(field);
}

/** Whether a ticket is among those that have a time of the conversation, which come first. */
export const presences = ['some', 'none'] as const;

/** A place in a list: that of the ticket with this value and id. */
export interface TicketPosition {
  value: string | number | null;
  id: string;
  /** The part of the list that it is in: the words that it is sorted by, and whether it has a time of the conversation. */
  path?: readonly string[];
  /** Only in a list by relevance. */
  score?: number;
}

export interface TicketQuery {
  /**
   * Only the tickets that this person (by id) requested or is copied on; `updated_at`, in filter, sort and position,
   * is then the time of the latest change that they saw (`publicUpdatedAt`).
   */
  reader?: string;
  /** Deleted tickets instead of those that are there. Never together with `reader`. */
  isDeleted?: boolean;
  filter: TicketFilter;
  /**
   * Only the tickets that have every term somewhere in their subject, description and replies: for a `reader` in public
   * ones alone.
   */
  search?: readonly SearchTerm[];
  /** The best of the newest matches of a search first, as `listByRelevance` puts them; no store looks at it. */
  isRanked?: boolean;
  sort: TicketSort;
  /** The page begins just behind this place. */
  after?: TicketPosition;
  /** The page ends with this place at the latest. */
  until?: TicketPosition;
  /** At least 1. */
  limit: number;
}

/** The place of a ticket. */
export function toPosition(
  ticket: Pick<Ticket, 'id' | TicketSort['field']>,
  sort: TicketSort,
): TicketPosition {
  const { id } = ticket;
  if (isWordSort(sort)) return within(ticket[sort.field], toPosition(ticket, sortWithin(sort)));
  const value = ticket[sort.field];
  if (!isConversationTime(sort.field)) return { value, id };
  if (value !== null) return within('some', { value, id });
  return within('none', { value: ticket.created_at, id });
}

function within(label: string, { path = [], ...place }: TicketPosition): TicketPosition {
  return { ...place, path: [label, ...path] };
}

/** Whether a place can be one of the list: a cursor is anything until it is checked. */
export function isPlaceIn({ sort, isRanked }: TicketQuery, place: TicketPosition): boolean {
  if (isRanked) return typeof place.value === 'string' && place.score !== undefined && !place.path;
  return isPlaceBySort(sort, place, place.path ?? []);
}

function isPlaceBySort(
  sort: TicketSort,
  place: TicketPosition,
  [label, ...path]: readonly string[],
): boolean {
  if (isWordSort(sort)) {
    return wordsOf(sort).some((word) => word === label) && isPlaceBySort(sortWithin(sort), place, path);
  }
  const isPart = isConversationTime(sort.field);
  const isLabel = isPart ? presences.some((each) => each === label) : label === undefined;
  if (!isLabel || path.length > 0) return false;
  // Only what is not due has no sort value.
  if (place.value === null) return sort.field === 'due_at';
  return typeof place.value === (sort.field === 'reply_count' ? 'number' : 'string');
}

/** What a ticket is found by. */
export interface TicketText extends Pick<Ticket, 'id' | 'created_at'> {
  text: SearchableText;
}

/**
 * What the API needs of a database of tickets. Every method may be called by many processes on one database at once.
 * A promise of a write resolves only when the write is durable: it survives SIGKILL of this process and, as far as
 * the engine promises it, loss of power. Failures of the engine reject with `AppError('unavailable')`.
 * Records handed out are frozen; the same version of a ticket may be the same object each time.
 */
export interface TicketStore {
  /**
   * Writes all of it in one transaction, or nothing. Of racers with the same `expectedVersion` exactly one commits, and so
   * of those that give different tickets one external id within one client; of
   * racers with one request key exactly one commits, and for as long as its record has not expired the others replay
   * its answer. A request that was committed before is replayed even where a version is stale by now.
   *
   * @throws {AppError} `id_in_use` when the id of a new ticket or reply is in use, or a chosen one was at any time before;
   * `validation_failed` when a `chosen` status, type or priority is gone or being replaced;
   * `conflict` when for too long it cannot be told how a racer with the same request key will end
   */
  commit(commits: readonly TicketCommit[], request?: RecordedRequest): Promise<CommitOutcome>;
  /** The ticket as last written by any process, deleted or not. */
  find(id: string): Promise<TicketRecord | undefined>;
  /** The ticket whose external id is unique within this client, deleted or not. */
  findByExternalId(clientId: string, externalId: string): Promise<TicketRecord | undefined>;
  /** The tickets with these ids that there are, deleted or not, in any order, as they were at one moment. */
  findAll(ids: readonly string[]): Promise<readonly TicketRecord[]>;
  /**
   * Up to `limit` matching tickets in order of the sort value, ties broken by id in the same direction. Reading page
   * after page by `after` shows each ticket that exists throughout exactly once, whatever is inserted meanwhile
   * (for a sort by `created_at`; a ticket that is updated while a list by `updated_at` is read moves).
   * An index leads to them in order; what it does not know of is checked on each ticket that it leads to.
   */
  list(query: TicketQuery): Promise<readonly TicketRecord[]>;
  /**
   * Where a list is after `steps` of the tickets that its index leads to, whether all conditions hold for them or not;
   * `undefined` when there are fewer, or when the index knows of all conditions, or so few have the
   * words of a search that these lead to them. With this as `until`, the work of a page
   * is bounded. The same on every engine.
   */
  findStep(query: TicketQuery, steps: number): Promise<TicketPosition | undefined>;
  /** How many tickets match, counted up to `limit`. */
  count(query: TicketQuery): Promise<number>;
  /**
   * The number of tickets with each value of a field (of `assignee` the id; null: none), among the first `limit` of a list
   * without a search.
   */
  countBy(
    query: Omit<TicketQuery, 'search'>,
    field: 'assignee' | 'tag',
  ): Promise<ReadonlyMap<string | null, number>>;
  /** The texts by which such a list finds its tickets, in its order; together they may be more than fits into memory. */
  listTexts(query: TicketQuery): AsyncIterable<TicketText>;
  /** Deleted tickets, or solved ones that are not deleted, since before this time: the longest ago first. */
  listDue(what: 'deleted' | 'solved', before: Date, limit: number): Promise<readonly TicketRecord[]>;
}
