import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { linkSchema } from '../../helpdesk/tickets/ticket.ts';
import { createComponent } from '../component.ts';
import type { Operation } from '../operation.ts';
import { changedTicket, ticketIfMatch, ticketParameter } from './ticket-operations.ts';

const otherId = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f60b1';
const link = createComponent('TicketLinkCreate', 'link', linkSchema, {
  type: 'duplicate',
  ticket_id: otherId,
});
const remarks =
  'For agents and administrators. Both tickets change in one transaction, because each link has an inverse: a parent has a child, a duplicate an original.';

/** Operations on links between tickets. */
export const linkOperations: readonly Operation[] = [
  {
    id: 'addTicketLink',
    method: 'POST',
    tag: 'links',
    path: '/ticket/{ticket_id}/links',
    pathParameters: ticketParameter,
    summary: 'Link a ticket to another',
    description: `${remarks} Two tickets have at most one link, and parents must not form a cycle.`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ticketIfMatch,
    body: { resource: link },
    answer: {
      status: 200,
      description: 'The ticket with the link',
      ...changedTicket,
      links: [
        {
          parameters: { ticket_id: '/id', other_id: '/links/0/ticket_id' },
          operationIds: ['removeTicketLink'],
        },
      ],
    },
    problems: ['ticket_closed'],
  },
  {
    id: 'removeTicketLink',
    method: 'DELETE',
    tag: 'links',
    path: '/ticket/{ticket_id}/link/{other_id}',
    pathParameters: {
      ...ticketParameter,
      other_id: z.uuid().meta({ description: 'The `id` of the other ticket', examples: [otherId] }),
    },
    summary: 'Remove the link of a ticket to another',
    description: remarks,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ticketIfMatch,
    answer: { status: 200, description: 'The ticket without the link', ...changedTicket },
    problems: ['ticket_closed'],
  },
];
