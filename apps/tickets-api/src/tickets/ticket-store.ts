import type { Ticket } from './ticket.ts';
import type { CommitOutcome, RecordedRequest, TicketCommit, TicketRecord } from './ticket-commit.ts';

/** Half-open or closed bounds of a time, each an RFC 3339 UTC time with milliseconds. */
export interface TimeRange {
  gte?: string;
  gt?: string;
  lte?: string;
  lt?: string;
}

/** Every given member must hold. People are named by their e-mail address in lower case. */
export interface TicketFilter {
  status?: Ticket['status'];
  priority?: Ticket['priority'];
  type?: NonNullable<Ticket['type']>;
  assignee?: string;
  requester?: string;
  tag?: string;
  created_at?: TimeRange;
  updated_at?: TimeRange;
}

export interface TicketSort {
  field: 'created_at' | 'updated_at';
  direction: 'asc' | 'desc';
}

/** Where a page begins: just behind the ticket with this sort value and id. */
export interface TicketPosition {
  value: string;
  id: string;
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
  sort: TicketSort;
  after?: TicketPosition;
  /** At least 1. */
  limit: number;
}

/**
 * What the API needs of a database of tickets. Every method may be called by many processes on one database at once.
 * A promise of a write resolves only when the write is durable: it survives SIGKILL of this process and, as far as
 * the engine promises it, loss of power. Failures of the engine reject with `AppError('unavailable')`.
 * Records handed out are frozen; the same version of a ticket may be the same object each time.
 */
export interface TicketStore {
  /**
   * Writes all of it in one transaction, or nothing. Of racers with the same `expectedVersion` exactly one commits; of
   * racers with one request key exactly one commits, and for as long as its record has not expired the others replay
   * its answer. A request that was committed before is replayed even where a version is stale by now.
   *
   * @throws {AppError} `conflict` when the id of a new ticket is in use, or for too long it cannot be told how a racer
   * with the same request key will end
   */
  commit(commits: readonly TicketCommit[], request?: RecordedRequest): Promise<CommitOutcome>;
  /** The ticket as last written by any process, deleted or not. */
  find(id: string): Promise<TicketRecord | undefined>;
  /**
   * Up to `limit` matching tickets in order of the sort value, ties broken by id in the same direction. Reading page
   * after page by `after` shows each ticket that exists throughout exactly once, whatever is inserted meanwhile
   * (for a sort by `created_at`; a ticket that is updated while a list by `updated_at` is read moves).
   * Served by an index for every single filter and sort.
   */
  list(query: TicketQuery): Promise<readonly TicketRecord[]>;
  /** Deleted tickets, or solved ones that are not deleted, since before this time: the longest ago first. */
  listDue(what: 'deleted' | 'solved', before: Date, limit: number): Promise<readonly TicketRecord[]>;
}
