import { scopes } from '../../api/access/access.ts';
import { countParametersSchema, ticketCountSchema } from '../../api/tickets/count-routes.ts';
import { MAX_COUNTED_VALUES } from '../../helpdesk/list/count-tickets.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';
import { customFieldQuery } from './ticket-operations.ts';

const ticketCount = createComponent('TicketCount', 'ticket_count', ticketCountSchema, {
  by: 'status',
  value: 'open',
  count: 12,
  is_exact: true,
});

/** Operations that count tickets. */
export const countOperations: readonly Operation[] = [
  {
    id: 'countTickets',
    method: 'GET',
    tag: 'tickets',
    path: '/ticket_counts',
    summary: 'Count tickets by their fields',
    description: `Returns the counts of an inbox in one request: the number of tickets for each value of the fields in \`by\`, with the filters of the ticket list. For \`status\`, \`priority\`, \`type\` and \`channel\` every value is listed, counted up to 10,000 tickets, or among the first 5,000 if no index supports the filters. For \`assignee\` and \`tag\` the ${MAX_COUNTED_VALUES.toLocaleString('en')} most frequent values are listed, counted among the newest tickets within the same bounds. \`is_exact\` is false if there may be more. Customers count the tickets that they see; \`tag\` gets 403 for them.`,
    scope: scopes.read,
    query: countParametersSchema,
    openQuery: customFieldQuery,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'The counts',
      component: createPage(ticketCount, 'ticket_counts'),
      headers: ['ETag', 'Cache-Control'],
    },
    problems: ['validation_failed'],
  },
];
