import type { Insertion, RequestRecord } from '../idempotency.ts';
import type { Ticket } from './ticket.ts';

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
  filter: TicketFilter;
  sort: TicketSort;
  after?: TicketPosition;
  /** At least 1. */
  limit: number;
}

/**
 * What the API needs of a database. Every method may be called by many processes on one database at once.
 * A promise of a write resolves only when the write is durable: it survives SIGKILL of this process and, as far as
 * the engine promises it, loss of power. Failures of the engine reject with `AppError('unavailable')`.
 * Tickets handed out are frozen; the same version of a ticket may be the same object each time.
 */
export interface TicketStore {
  /**
   * Adds a ticket whose id is not in use, and in the same transaction the record of the request that asks for it. While
   * a record of that key is there that has not expired, nothing is added: with the same fingerprint the ticket of the
   * first request is handed out as it was inserted, whatever became of it since; with another it is a mismatch. Of
   * racers with one key exactly one inserts.
   *
   * @throws {AppError} `conflict` when the id is in use, or for too long it cannot be told how a racer will end
   */
  insert(ticket: Ticket, request?: RequestRecord): Promise<Insertion<Ticket>>;
  /** The ticket as last written by any process. */
  find(id: string): Promise<Ticket | undefined>;
  /** Compare-and-set: writes `ticket` if the stored version is `expectedVersion`; exactly one racer gets `true`. */
  replace(ticket: Ticket, expectedVersion: number): Promise<boolean>;
  /** Compare-and-set removal. With no `expectedVersion` any version is removed. `false`: it was not there like that. */
  remove(id: string, expectedVersion?: number): Promise<boolean>;
  /**
   * Up to `limit` matching tickets in order of the sort value, ties broken by id in the same direction. Reading page
   * after page by `after` shows each ticket that exists throughout exactly once, whatever is inserted meanwhile
   * (for a sort by `created_at`; a ticket that is updated while a list by `updated_at` is read moves).
   * Served by an index for every single filter and sort.
   */
  list(query: TicketQuery): Promise<readonly Ticket[]>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
