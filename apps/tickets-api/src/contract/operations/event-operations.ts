import { scopes } from '../../api/access/access.ts';
import { eventGrammar, eventResponder, eventSearchGrammar } from '../../api/history/routes.ts';
import { auditEventSchema } from '../../helpdesk/history/audit-event.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';
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

/** Event in a list with sparse fieldsets. */
const selectedEvent = createComponent('AuditEventListItem', 'event', eventResponder.schema, event.example);

/** Operations on the history of tickets. */
export const eventOperations: readonly Operation[] = [
  {
    id: 'listAllEvents',
    method: 'GET',
    tag: 'history',
    path: '/events',
    summary: 'Fetch the events of all tickets and definitions',
    description:
      'Exports the audit history in pages. It needs the right `export_events`, which administrators and, by default, agents have. Events must match all given filters. `type` accepts a full type, or a type of resource, such as `ticket`, `reply` or `ticket_status`, which stands for all of its types; `actor` accepts the id of a person or client, `system`, or `me`. The first given of `ticket_id`, `actor` and `type` selects events by an index; the other filters are checked for each event. A page examines at most 2,000 events, so it may have fewer members than its limit, or none, although the list continues; it ends when `next_cursor` is null. Events of deleted tickets are included, those of purged tickets are not. In changes of statuses, types, priorities, custom fields and roles, `ticket_id` is null and `resource` identifies the definition or role; the events that create and remove a definition have its first and last values.',
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
      'Returns who changed which fields, the old and new values, the client and the time. Customers see the changes of fields that they may see.',
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
