import type { CommitOutcome, RecordedRequest, TicketCommit, TicketRecord } from '../commit/ticket-commit.ts';
import { builtInPriorities } from '../definitions/built-in.ts';
import { statusCategories } from '../definitions/definition.ts';
import type { TicketFilter } from '../list/ticket-filter.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import type { SearchableText } from '../search/searchable-text.ts';
import type { Ticket } from './ticket.ts';

/** Optional times of the conversation of a ticket. */
export const conversationTimes = ['waiting_since', 'last_reply_at', 'last_customer_reply_at'] as const;
export type ConversationTime = (typeof conversationTimes)[number];

/** Sort order by a time or a number. */
export interface ValueSort {
  /**
   * Tickets without a value come last in either direction: by id if they have no due date, by creation if they have no
   * time of the conversation.
   */
  field: 'created_at' | 'updated_at' | 'due_at' | 'reply_count' | ConversationTime;
  direction: 'asc' | 'desc';
}

/** Built-in words of the sortable fields, in sort order. */
export const wordOrders: Readonly<Record<'priority' | 'status', readonly string[]>> = {
  priority: builtInPriorities,
  status: statusCategories,
};

/** Sort order by a word. */
export interface WordSort {
  field: keyof typeof wordOrders;
  direction: 'asc' | 'desc';
  /** All words in sort order, by default the built-in ones. Tickets with other words are not in the list. */
  order?: readonly string[];
  /** Sort order of the tickets with one word; by default creation in the same direction. */
  next?: TicketSort;
}

export type TicketSort = ValueSort | WordSort;

export function isWordSort(sort: TicketSort): sort is WordSort {
  return Object.hasOwn(wordOrders, sort.field);
}

/** Returns the words of a sort in ascending order. */
export function wordsOf({ field, order = wordOrders[field] }: WordSort): readonly string[] {
  return order;
}

/** Returns the sort order within the tickets of one word. */
export function sortWithin({ direction, next }: WordSort): TicketSort {
  return next ?? { field: 'created_at', direction };
}

/** Whether the field is a time of the conversation. */
export function isConversationTime(field: TicketSort['field']): field is ConversationTime {
  return (conversationTimes as readonly string[]).includes(field);
}

/** Parts of a list by a time of the conversation: tickets with the time, then tickets without it. */
export const presences = ['some', 'none'] as const;

/** The position of a ticket in a list, by its sort value and id. */
export interface TicketPosition {
  value: string | number | null;
  id: string;
  /** The part of the list: words of the sort fields, and whether the ticket has the time of the conversation. */
  path?: readonly string[];
  /** Relevance; present only in a list by relevance. */
  score?: number;
}

export interface TicketQuery {
  /**
   * Selects only tickets that this person (by id) requested or is copied on. `updated_at` in filter, sort and position
   * is then the time of the latest public change (`publicUpdatedAt`).
   */
  reader?: string;
  /** Selects only deleted tickets instead of existing ones. Never used together with `reader`. */
  isDeleted?: boolean;
  filter: TicketFilter;
  /**
   * Selects only tickets that have every term somewhere in their subject, description or replies. With `reader`, only
   * public replies are searched.
   */
  search?: readonly SearchTerm[];
  /** Whether the list is sorted by relevance. `listByRelevance` does that; stores ignore this member. */
  isRanked?: boolean;
  sort: TicketSort;
  /** The page begins after this position. */
  after?: TicketPosition;
  /** The page ends at this position at the latest. */
  until?: TicketPosition;
  /** At least 1. */
  limit: number;
}

/** Returns the position of a ticket in a list. */
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

/** Whether a position has the form of the list; checks untrusted cursors. */
export function isPositionIn({ sort, isRanked }: TicketQuery, place: TicketPosition): boolean {
  if (isRanked) return typeof place.value === 'string' && place.score !== undefined && !place.path;
  return isPositionBySort(sort, place, place.path ?? []);
}

function isPositionBySort(
  sort: TicketSort,
  place: TicketPosition,
  [label, ...path]: readonly string[],
): boolean {
  if (isWordSort(sort)) {
    return wordsOf(sort).some((word) => word === label) && isPositionBySort(sortWithin(sort), place, path);
  }
  const isPart = isConversationTime(sort.field);
  const isLabel = isPart ? presences.some((each) => each === label) : label === undefined;
  if (!isLabel || path.length > 0) return false;
  // Only a missing due date is a sort value of null.
  if (place.value === null) return sort.field === 'due_at';
  return typeof place.value === (sort.field === 'reply_count' ? 'number' : 'string');
}

/** The texts in which a search finds a ticket. */
export interface TicketText extends Pick<Ticket, 'id' | 'created_at'> {
  text: SearchableText;
}

/**
 * Store of tickets. Many processes may call every method on one database concurrently.
 * A promise of a write resolves only when the write is durable: it survives SIGKILL of this process and, as far as
 * the engine promises it, loss of power. Failures of the engine reject with `AppError('unavailable')`.
 * Returned records are frozen; the same version of a ticket may be the same object each time.
 */
export interface TicketStore {
  /**
   * Writes all commits in one transaction, or nothing. Exactly one of several racing calls commits if they have the
   * same `expectedVersion`, give different tickets one external id within one client, or have one request key. With one
   * request key the others replay the answer until its record expires. A request that was committed earlier is replayed
   * even if a version is now stale.
   *
   * @throws {AppError} `id_in_use` when the id of a new ticket or reply is in use, or a chosen id was ever in use
   * @throws {AppError} `validation_failed` when a `chosen` status, type or priority is deleted or being replaced
   * @throws {AppError} `conflict` when a racing call with the same request key does not end in time
   */
  commit(commits: readonly TicketCommit[], request?: RecordedRequest): Promise<CommitOutcome>;
  /** Finds a ticket, deleted or not, as last written by any process. */
  find(id: string): Promise<TicketRecord | undefined>;
  /** Finds the ticket, deleted or not, whose external id is unique within this client. */
  findByExternalId(clientId: string, externalId: string): Promise<TicketRecord | undefined>;
  /** Finds the tickets with these ids, deleted or not, in any order, from one snapshot; leaves out unknown ids. */
  findAll(ids: readonly string[]): Promise<readonly TicketRecord[]>;
  /**
   * Lists up to `limit` matching tickets by sort value, ties by id in the same direction. Paging with `after` by
   * `created_at` returns each ticket that exists throughout exactly once, whatever is inserted in the meantime. In a
   * list by `updated_at`, a ticket that is updated during paging moves. An index supplies the tickets in order;
   * conditions that it does not cover are checked on each ticket.
   */
  list(query: TicketQuery): Promise<readonly TicketRecord[]>;
  /**
   * Finds the position after the first `steps` tickets of the index of a list, whether they match or not. As `until` it
   * bounds the work of a page. `undefined` when there are fewer tickets, when the index covers all conditions, or when
   * so few tickets match a search that the text index finds them. Every engine returns the same position.
   */
  findStep(query: TicketQuery, steps: number): Promise<TicketPosition | undefined>;
  /** Counts the matching tickets, up to `limit`. */
  count(query: TicketQuery): Promise<number>;
  /**
   * Counts tickets by the values of a field among the first `limit` of a list without a search. The value of `assignee`
   * is an id; null counts tickets without a value.
   */
  countBy(
    query: Omit<TicketQuery, 'search'>,
    field: 'assignee' | 'tag',
  ): Promise<ReadonlyMap<string | null, number>>;
  /** Streams the searchable texts of a list in its order, because all texts may not fit into memory. */
  listTexts(query: TicketQuery): AsyncIterable<TicketText>;
  /** Lists tickets deleted before this time, or solved before it and not deleted; the oldest time first. */
  listDue(what: 'deleted' | 'solved', before: Date, limit: number): Promise<readonly TicketRecord[]>;
}
