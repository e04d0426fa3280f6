import type { Ticket } from '../tickets/ticket.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';

type Extras = Partial<Omit<TicketCommit, 'id' | 'expectedVersion'>>;

/** Returns a record whose public version equals the version of the ticket. */
export function toRecord(ticket: Ticket): TicketRecord {
  return { ticket, publicVersion: ticket.version, publicUpdatedAt: ticket.updated_at };
}

/** Returns a commit that adds a ticket. */
export function adding(ticket: Ticket, extras: Extras = {}): TicketCommit {
  return { id: ticket.id, record: toRecord(ticket), events: [], feedEntries: [], ...extras };
}

/** Returns a commit that replaces the previous version of a ticket. */
export function changing(ticket: Ticket, extras: Extras = {}): TicketCommit {
  return { ...adding(ticket, extras), expectedVersion: ticket.version - 1 };
}

/** Returns a commit that purges this version of a ticket. */
export function purging({ id, version }: Ticket, extras: Extras = {}): TicketCommit {
  return { id, expectedVersion: version, record: undefined, events: [], feedEntries: [], ...extras };
}
