import { scopes } from '../access.ts';
import { countParametersSchema, ticketCountSchema } from '../tickets/count-routes.ts';
import { MAX_COUNTED_VALUES } from '../tickets/count-tickets.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';
import { customFieldQuery } from './ticket-operations.ts';

const ticketCount = createComponent('TicketCount', 'ticket_count', ticketCountSchema, {
  by: 'status',
  value: 'open',
  count: 12,
  is_exact: true,
});

/** How clients count tickets. */
export const countOperations: readonly Operation[] = [
  {
    id: 'countTickets',
    method: 'GET',
    tag: 'tickets',
    path: '/ticket_counts',
    summary: 'Count tickets by their fields',
    description: `The numbers for an inbox in one request: tickets under any filter of the ticket collection, by each field that \`by\` names. Of \`status\`, \`priority\`, \`type\` and \`channel\` every word is there, each counted up to 10,000 tickets, or among the first 5,000 with filters that no index serves. Of \`assignee\` and \`tag\` the ${MAX_COUNTED_VALUES.toLocaleString('en')} most frequent values are there, counted among the newest tickets within the same bounds. Where there may be more, \`is_exact\` is false. Customers count what they see; \`tag\` is 403 for them.`,
    scope: scopes.read,
    query: countParametersSchema,
    openQuery: customFieldQuery,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'The numbers',
      component: createPage(ticketCount, 'ticket_counts'),
      headers: ['ETag', 'Cache-Control'],
    },
    problems: ['validation_failed'],
  },
];
