import { v7 as uuidv7 } from 'uuid';
import type { PersonReference } from '../people/person.ts';
import type { Reply } from './reply.ts';

/** Returns a public reply to a ticket, later than all previous ones. */
export function newReply(ticketId: string, fields: Partial<Reply> = {}): Reply {
  return {
    id: uuidv7(),
    ticket_id: ticketId,
    visibility: 'public',
    author: { type: 'client', id: 'night-shift-bot', email: null, name: null },
    incoming: false,
    counts_as_reply: (fields.visibility ?? 'public') === 'public' && !fields.incoming,
    body: 'Have you tried water?',
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    version: 1,
    ...fields,
  };
}

/** Returns a person as the author of a reply. */
export function authorOf(person: PersonReference): Reply['author'] {
  return { type: 'person', ...person };
}
