import { z } from 'zod';
import { scopes } from '../access.ts';
import { parametersSchema } from '../tickets/list-query.ts';
import { newTicketSchema, ticketEditSchema, ticketSchema } from '../tickets/ticket.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';

const written = {
  subject: 'The printer is on fire',
  description: 'Third floor, beside the kitchen.',
  priority: 'urgent',
  type: 'incident',
  requester: { email: 'ada@example.com', name: 'Ada' },
  tags: ['printer', 'fire'],
  custom_fields: { floor: 3, vip: true, rooms: ['3.14', '3.15'] },
};

const ticket = createComponent('Ticket', 'ticket', ticketSchema, {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  ...written,
  status: 'new',
  channel: 'api',
  assignee: null,
  external_id: null,
  due_at: null,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
});

const newTicket = createComponent('NewTicket', 'ticket', newTicketSchema, written);

const ticketEdit = createComponent('TicketEdit', 'ticket', ticketEditSchema, {
  status: 'open',
  assignee: { email: 'grace@example.com', name: 'Grace' },
});

const ticketPatch = createComponent('TicketPatch', 'ticket', ticketEditSchema, {
  status: 'pending',
  custom_fields: { floor: 4, vip: null },
});

const requiredOfTickets = Object.keys(newTicketSchema.shape).filter(
  (name) => !newTicketSchema.shape[name as keyof typeof newTicketSchema.shape].safeParse(undefined).success,
);

const oneTicket = {
  tag: 'tickets',
  path: '/ticket/{ticket_id}',
  pathParameters: {
    ticket_id: z.uuid().meta({ description: 'The `id` of the ticket', examples: [ticket.example.id] }),
  },
} as const;
const allTickets = { tag: 'tickets', path: '/tickets' } as const;

const ifMatch = { header: 'If-Match', current: ticket } as const;
const tagged = ['ETag', 'Cache-Control'] as const;
const changed = { component: ticket, headers: [...tagged, 'Keydesk-Changed'] } as const;

/** What clients can do with tickets. */
export const ticketOperations: readonly Operation[] = [
  {
    id: 'listTickets',
    method: 'GET',
    ...allTickets,
    summary: 'Fetch the ticket collection',
    description:
      'A page of the tickets for which all the given filters hold. Page after page, each ticket comes once, whatever is added meanwhile.',
    scope: scopes.read,
    query: parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of tickets',
      component: createPage(ticket, 'tickets'),
      headers: [...tagged, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'addTicket',
    method: 'POST',
    ...allTickets,
    summary: 'Add a ticket',
    description:
      'With an `Idempotency-Key` it may be repeated when its answer was lost: for 24 hours the first answer comes again, in the format that is asked for.',
    scope: scopes.write,
    isRepeatable: true,
    body: { resource: newTicket },
    answer: {
      status: 201,
      description: 'The created ticket',
      component: ticket,
      headers: [...tagged, 'Location', 'Idempotency-Replayed'],
      links: {
        parameter: 'ticket_id',
        operationIds: ['fetchTicket', 'editTicket', 'patchTicket', 'deleteTicket'],
      },
    },
  },
  {
    id: 'fetchTicket',
    method: 'GET',
    ...oneTicket,
    summary: 'Fetch one ticket',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The ticket', component: ticket, headers: tagged },
  },
  {
    id: 'editTicket',
    method: 'PUT',
    ...oneTicket,
    summary: 'Edit a ticket',
    description:
      'Replaces the fields that are given and leaves the others. The read-only ones may be sent back as they were read: an older `version` or `updated_at` is 412, another `id` or `created_at` is 400.',
    scope: scopes.write,
    conditional: ifMatch,
    body: { resource: ticketEdit },
    answer: { status: 200, description: 'The updated ticket', ...changed },
  },
  {
    id: 'patchTicket',
    method: 'PATCH',
    ...oneTicket,
    summary: 'Change parts of a ticket',
    description:
      'Applies a JSON merge patch (RFC 7396): null takes a field back to its default and removes a custom field. Read-only fields are treated as by PUT.',
    scope: scopes.write,
    conditional: ifMatch,
    body: { patchOf: ticketPatch, required: requiredOfTickets },
    answer: { status: 200, description: 'The updated ticket', ...changed },
  },
  {
    id: 'deleteTicket',
    method: 'DELETE',
    ...oneTicket,
    summary: 'Delete a ticket',
    scope: scopes.delete,
    conditional: ifMatch,
    answer: { status: 200, description: 'The ticket as it was last', component: ticket, headers: tagged },
  },
];
