import { v7 as uuidv7 } from 'uuid';
import type { EventRecord, TicketEvent } from './ticket-event.ts';

/** Something that happened to a ticket, later than what happened before; customers see nothing but that. */
export function newEvent(ticketId: string, fields: Partial<TicketEvent> = {}): EventRecord {
  const event: TicketEvent = {
    id: uuidv7(),
    ticket_id: ticketId,
    reply_id: null,
    type: 'ticket.changed',
    actor: { type: 'system', id: null, name: null },
    client_id: null,
    changes: [],
    created_at: '2026-03-01T12:00:00.000Z',
    ...fields,
  };
  return { event, publicChanges: [] };
}

/** Something that customers never learn of. */
export function newInternalEvent(ticketId: string, fields: Partial<TicketEvent> = {}): EventRecord {
  return { event: newEvent(ticketId, fields).event };
}
