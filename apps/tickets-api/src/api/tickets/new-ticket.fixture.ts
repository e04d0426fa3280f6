import { randomUUID } from 'node:crypto';
import { type StatusCategory, statusCategories } from '../../helpdesk/definitions/definition.ts';
import type { PersonReference } from '../../helpdesk/people/person.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';

/** Creates a ticket with a random id that does not depend on its age. */
export function newTicket(fields: Partial<Ticket> = {}, at = '2026-03-01T12:00:00.000Z'): Ticket {
  const status = fields.status ?? 'new';
  return {
    id: randomUUID(),
    subject: 'The printer is on fire',
    description: '',
    status,
    status_category: categoryOf(status),
    priority: 'normal',
    type: null,
    channel: 'api',
    requester: null,
    assignee: null,
    cc: [],
    followers: [],
    tags: [],
    custom_fields: {},
    external_id: null,
    due_at: null,
    follow_up_of: null,
    links: [],
    first_replied_at: null,
    last_reply_at: null,
    last_customer_reply_at: null,
    waiting_since: null,
    reply_count: 0,
    solved_at: null,
    closed_at: null,
    deleted_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
    ...fields,
  };
}

/** Returns the category of a built-in status. */
function categoryOf(status: string): StatusCategory {
  return statusCategories.find((category) => category === status) ?? 'open';
}

/** Returns the next version of a ticket. */
export function changed(ticket: Ticket, fields: Partial<Ticket> = {}): Ticket {
  const { status = ticket.status } = fields;
  return { ...ticket, status_category: categoryOf(status), ...fields, version: ticket.version + 1 };
}

/** Creates a reference to a new person. */
export function newReference(fields: Partial<PersonReference> = {}): PersonReference {
  const id = randomUUID();
  return { id, email: `${id}@example.com`, name: null, ...fields };
}
