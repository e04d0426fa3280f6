import { scopes } from '../access.ts';
import { auditEventSchema } from '../history/audit-event.ts';
import { eventSearchGrammar } from '../history/event-search.ts';
import { eventGrammar, eventResponder } from '../history/routes.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';
import { ticketParameter } from './ticket-operations.ts';

const event = createComponent('AuditEvent', 'event', auditEventSchema, {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6091',
  ticket_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  reply_id: null,
  resource: { type: 'ticket', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' },
  type: 'ticket.changed',
  actor: { type: 'person', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073', name: 'Grace' },
  client_id: 'agents-desktop',
  changes: [{ field: 'status', from: 'new', to: 'open' }],
  created_at: '2026-01-31T09:04:00.000Z',
});

/** An event in a list of which some fields may be selected. */
const selectedEvent = createComponent('AuditEventListItem', 'event', eventResponder.schema, event.example);

/** What clients can do with the history of tickets. */
export const eventOperations: readonly Operation[] = [
  {
    id: 'listAllEvents',
    method: 'GET',
    tag: 'history',
    path: '/events',
    summary: 'Fetch the events of all tickets and definitions',
    description:
      'For agents and administrators: an audit export in pages. All the given filters hold; `type` takes a whole type, or a type of resource, such as `ticket`, `reply` or `ticket_status`, for all of its types, and `actor` the id of a person or client, `system`, or `me`. One index leads to the events, by the first of `ticket_id`, `actor` and `type` that is given; the other filters are checked on each. A page looks at 2,000 events at most, so it may hold fewer than its limit, even none, before the list ends, which it does when `next_cursor` is null. Events of deleted tickets are there, those of purged ones are not. `ticket_id` is null where a status, type, priority or custom field changed, and `resource` names that; their first and last values are in the events that create and remove them.',
    scope: scopes.read,
    query: eventSearchGrammar.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of events',
      component: createPage(selectedEvent, 'events', { name: 'EventPage', hasTotal: true }),
      headers: ['ETag', 'Cache-Control', 'Link'],
    },
    problems: ['validation_failed'],
  },
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
    query: eventGrammar.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of events',
      component: createPage(selectedEvent, 'events', { name: 'TicketEventPage', hasTotal: true }),
      headers: ['ETag', 'Cache-Control', 'Link'],
    },
    problems: ['validation_failed'],
  },
];
