import { scopes } from '../access.ts';
import { ticketStatusSchema } from '../tickets/status.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';

const status = createComponent('TicketStatus', 'ticket_status', ticketStatusSchema, {
  id: 'new',
  transitions: ['open', 'pending', 'hold', 'solved'],
});

/** What clients can learn of the workflow. */
export const statusOperations: readonly Operation[] = [
  {
    id: 'listTicketStatuses',
    method: 'GET',
    tag: 'tickets',
    path: '/ticket_statuses',
    summary: 'Fetch the statuses and what each can become',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'Every status',
      component: createPage(status, 'ticket_statuses'),
      headers: ['ETag', 'Cache-Control', 'Link'],
    },
    problems: ['validation_failed'],
  },
];
