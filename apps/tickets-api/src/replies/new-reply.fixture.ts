import { v7 as uuidv7 } from 'uuid';
import type { Reply } from './reply.ts';

/** A public reply to a ticket, later than those before it. */
export function newReply(ticketId: string, fields: Partial<Reply> = {}): Reply {
  return {
    id: uuidv7(),
    ticket_id: ticketId,
    visibility: 'public',
    author: null,
    incoming: false,
    body: 'Have you tried water?',
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    version: 1,
    ...fields,
  };
}
