import { scopes } from '../access.ts';
import { ticketEventSchema } from '../history/ticket-event.ts';
import { chronicleParametersSchema } from '../http/id-cursor.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';
import { ticketParameter } from './ticket-operations.ts';

const event = createComponent('TicketEvent', 'event', ticketEventSchema, {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6091',
  ticket_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  reply_id: null,
  type: 'ticket.changed',
  actor: { type: 'person', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073', name: 'Grace' },
  client_id: 'agents-desktop',
  changes: [{ field: 'status', from: 'new', to: 'open' }],
  created_at: '2026-01-31T09:04:00.000Z',
});

/** What clients can do with the history of a ticket. */
export const eventOperations: readonly Operation[] = [
  {
    id: 'listEvents',
    method: 'GET',
    tag: 'history',
    path: '/ticket/{ticket_id}/events',
    pathParameters: ticketParameter,
    summary: 'Fetch the history of a ticket',
    description:
      'Who changed what from what to what, through which client, when. Customers are told what changed of what they see.',
    scope: scopes.read,
    query: chronicleParametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of events',
      component: createPage(event, 'events'),
      headers: ['ETag', 'Cache-Control', 'Link'],
    },
    problems: ['validation_failed'],
  },
];
