import { randomUUID } from 'node:crypto';
import { createTicket, type NewTicket, newTicketSchema, type Ticket } from './ticket.ts';

/** A ticket as the domain makes it, with an id that says nothing about its age. */
export function newTicket(fields: Partial<NewTicket> = {}, at = '2026-03-01T12:00:00.000Z'): Ticket {
  const input = newTicketSchema.parse({ subject: 'The printer is on fire', ...fields });
  return createTicket(input, { id: randomUUID(), now: new Date(at) });
}

/** The next version of a ticket. */
export function changed(ticket: Ticket, fields: Partial<Ticket> = {}): Ticket {
  return { ...ticket, ...fields, version: ticket.version + 1 };
}
