import type { Ticket } from '../tickets/ticket.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';

type Extras = Partial<Omit<TicketCommit, 'id' | 'expectedVersion'>>;

/** The record of a ticket of which customers have seen every change. */
export function toRecord(ticket: Ticket): TicketRecord {
  return { ticket, publicVersion: ticket.version, publicUpdatedAt: ticket.updated_at };
}

/** Adds a ticket. */
export function adding(ticket: Ticket, extras: Extras = {}): TicketCommit {
  return { id: ticket.id, record: toRecord(ticket), events: [], feedEntries: [], ...extras };
}

/** Writes the next version of a ticket in place of the one before it. */
export function changing(ticket: Ticket, extras: Extras = {}): TicketCommit {
  return { ...adding(ticket, extras), expectedVersion: ticket.version - 1 };
}

/** Purges this version of a ticket. */
export function purging({ id, version }: Ticket, extras: Extras = {}): TicketCommit {
  return { id, expectedVersion: version, record: undefined, events: [], feedEntries: [], ...extras };
}
