import type { DefinitionRef } from '../definitions/definition.ts';
import type { FeedEntry } from '../feed/change.ts';
import type { EventRecord } from '../history/audit-event.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { RequestRecord } from './idempotency.ts';

/** A stored ticket with its public version. The record and its ticket are frozen. */
export interface TicketRecord {
  /** The ticket as staff see it. */
  readonly ticket: Ticket;
  /** Version of the customer view of the ticket and its replies, counted from 1. */
  readonly publicVersion: number;
  /** Time of the latest public version; RFC 3339 UTC with milliseconds. */
  readonly publicUpdatedAt: string;
  /** The client within which the external id is unique; absent if it need not be unique. */
  readonly externalIdClient?: string;
  /**
   * Ids of the requester and people in copy who are or were staff; absent if none. Customers do not see their addresses.
   */
  readonly staffIds?: readonly string[];
}

/**
 * All writes of one request to one ticket, its replies and its events. Each change of them increments the version of
 * the ticket, so the compare-and-set of the version guards replies, events and feed entries too.
 */
export interface TicketCommit {
  /** The id of the ticket. */
  readonly id: string;
  /** The stored version to replace; `undefined` for a new ticket. */
  readonly expectedVersion?: number | undefined;
  /** The ticket after the commit. `undefined` purges it with its replies, events and idempotency records. */
  readonly record: TicketRecord | undefined;
  /** The id of the new ticket or reply if the client chose it. */
  readonly chosenId?: string | undefined;
  /**
   * Statuses, types and priorities that the commit sets, except built-in ones. The commit fails unless each is stored
   * and not being replaced.
   */
  readonly chosen?: readonly DefinitionRef[] | undefined;
  /** Replies to insert (version 1) or to replace by id (later versions). */
  readonly writtenReplies?: readonly Reply[];
  /** Ids of replies to remove. */
  readonly removedReplies?: readonly string[];
  readonly events: readonly EventRecord[];
  readonly feedEntries: readonly FeedEntry[];
}

/** A repeatable request with the stored answer to its repetitions; plain data. */
export interface RecordedRequest {
  /** Keys that identify the request; the first one that is stored decides. */
  readonly records: readonly RequestRecord[];
  readonly answer: unknown;
  /** The ticket whose purge also deletes the records; `null` if they belong to no ticket. */
  readonly ticketId: string | null;
}

export type CommitOutcome =
  | { outcome: 'committed' }
  /**
   * Nothing was written: a version was not the expected one, or another ticket of the client has the external id of a
   * record.
   */
  | { outcome: 'stale' }
  /** Nothing was written: the same request was committed earlier with this answer. */
  | { outcome: 'replayed'; answer: unknown }
  /** Nothing was written: this key was used with another request. */
  | { outcome: 'mismatch'; key: string };
