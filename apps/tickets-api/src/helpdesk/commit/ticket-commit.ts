import type { DefinitionRef } from '../definitions/definition.ts';
import type { FeedEntry } from '../feed/change.ts';
import type { EventRecord } from '../history/audit-event.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { RequestRecord } from './idempotency.ts';

/** A ticket as the store keeps it. Frozen, and the ticket in it too. */
export interface TicketRecord {
  /** As staff see it. */
  readonly ticket: Ticket;
  /** Counts, from 1, the changes of what a customer sees of the ticket and its replies. */
  readonly publicVersion: number;
  /** The time of the latest of them; RFC 3339 UTC with milliseconds. */
  readonly publicUpdatedAt: string;
  /** The client within which the external id is unique; absent where it need not be unique. */
  readonly externalIdClient?: string;
  /** Ids of the requester and people in copy who are or were staff: customers do not see their addresses. Absent: none. */
  readonly staffIds?: readonly string[];
}

/**
 * All that one request does to one ticket and what belongs to it. Everything that changes anything of a ticket counts
 * its version up, so the compare-and-set of the version guards replies, events and changes too.
 */
export interface TicketCommit {
  /** The id of the ticket. */
  readonly id: string;
  /** The stored version that is replaced; `undefined`: the ticket is new. */
  readonly expectedVersion?: number | undefined;
  /** The ticket afterwards. `undefined` purges it with its replies, events and request records. */
  readonly record: TicketRecord | undefined;
  /** The id of the new ticket or reply, where the client chose it. */
  readonly chosenId?: string | undefined;
  /**
   * Statuses, types and priorities that the ticket newly has, but for built-in ones: the commit fails unless each is stored
   * and not being replaced.
   */
  readonly chosen?: readonly DefinitionRef[] | undefined;
  /** Replies that are added, which have version 1, or replaced by their id, which have a later one. */
  readonly writtenReplies?: readonly Reply[];
  /** Ids of replies that are removed. */
  readonly removedReplies?: readonly string[];
  readonly events: readonly EventRecord[];
  readonly feedEntries: readonly FeedEntry[];
}

/** A repeatable request, and what is answered when it comes again: plain data. */
export interface RecordedRequest {
  /** All that it may be recognised by, of which the first that is known decides. */
  readonly records: readonly RequestRecord[];
  readonly answer: unknown;
  /** The ticket whose purge takes the records along; `null`: they belong to none. */
  readonly ticketId: string | null;
}

export type CommitOutcome =
  | { outcome: 'committed' }
  /**
   * A version was not the expected one, or another ticket has the external id of a record within the client: nothing was
   * written.
   */
  | { outcome: 'stale' }
  /** The same request was committed before with this answer: nothing was written. */
  | { outcome: 'replayed'; answer: unknown }
  /** This key was used with another request: nothing was written. */
  | { outcome: 'mismatch'; key: string };
