import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { customFieldNames, customFieldPattern } from '../../api/tickets/filter-parameters.ts';
import { parametersSchema } from '../../api/tickets/list-query.ts';
import {
  includedSchema,
  projectionParametersSchema,
  ticketViewSchema,
} from '../../api/tickets/projection.ts';
import { deleteParametersSchema, ticketWriteParametersSchema } from '../../api/tickets/routes.ts';
import { categoryTransitions } from '../../helpdesk/definitions/definition.ts';
import {
  newTicketSchema,
  ticketContentSchema,
  ticketEditSchema,
  ticketSchema,
} from '../../helpdesk/tickets/ticket.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';

const written = {
  subject: 'The printer is on fire',
  description: 'Third floor, beside the kitchen.',
  priority: 'urgent',
  type: 'incident',
  requester: { email: 'ada@example.com', name: 'Ada' },
  tags: ['printer', 'fire'],
  custom_fields: { floor: 3, vip: true, rooms: ['3.14', '3.15'] },
};

const ticket = createComponent('Ticket', 'ticket', withEtag(ticketSchema), {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  ...written,
  requester: { id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072', email: 'ada@example.com', name: 'Ada' },
  status: 'new',
  status_category: 'new',
  channel: 'api',
  assignee: null,
  cc: [],
  followers: [],
  external_id: null,
  due_at: null,
  follow_up_of: null,
  links: [],
  first_replied_at: null,
  last_reply_at: null,
  last_customer_reply_at: null,
  waiting_since: '2026-01-31T09:00:00.000Z',
  reply_count: 0,
  solved_at: null,
  closed_at: null,
  deleted_at: null,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
  etag: '"1-9f3a2c41d7-json"',
});

/** Ticket of all examples. */
export const ticketExample = withEtag(ticketSchema).parse(ticket.example);

/** Ticket in a list; search results may have excerpts. */
const listedTicket = createComponent(
  'TicketListItem',
  'ticket',
  ticketViewSchema.omit({ included: true }),
  ticket.example,
);

/** Ticket as it is read, with selected fields and side loads. */
const ticketView = createComponent('TicketView', 'ticket', ticketViewSchema, ticket.example);

const ticketCreate = createComponent('TicketCreate', 'ticket', newTicketSchema, written);

const ticketUpdate = createComponent('TicketUpdate', 'ticket', ticketEditSchema, {
  status: 'open',
  assignee: { email: 'grace@example.com', name: 'Grace' },
});

const ticketPatch = createComponent('TicketPatch', 'ticket', ticketEditSchema, {
  status: 'pending',
  custom_fields: { floor: 4, vip: null },
});

const requiredOfTickets = Object.entries(ticketContentSchema.shape)
  .filter(([, schema]) => !schema.safeParse(undefined).success)
  .map(([name]) => name);

/** Path parameter of a ticket. */
export const ticketParameter = {
  ticket_id: z.uuid().meta({ description: 'The `id` of the ticket', examples: [ticket.example.id] }),
};

const oneTicket = { tag: 'tickets', path: '/ticket/{ticket_id}', pathParameters: ticketParameter } as const;
const externalTicket = {
  tag: 'tickets',
  path: '/tickets/external/{external_id}',
  pathParameters: {
    external_id: z
      .string()
      .min(1)
      .max(255)
      .meta({ description: 'Id of the ticket in another system, percent-encoded', examples: ['CRM-7'] }),
  },
} as const;
const allTickets = { tag: 'tickets', path: '/tickets' } as const;

/** Precondition of ticket changes; a 412 has the current ticket. */
export const ticketIfMatch = { header: 'If-Match', current: ticket } as const;
/** Query parameters that filter by custom fields. */
export const customFieldQuery = {
  name: 'custom_fields',
  description: `Filters by custom fields: ${customFieldNames.map((name) => `\`${name}\``).join(', ')}. The fields must be defined. Values and operators depend on the type of the field: ranges require integer, decimal or date, \`[all]\` requires multi_select.`,
  names: customFieldPattern,
};

const cached = ['ETag', 'Cache-Control'] as const;
/** Response to a change of a ticket. */
export const changedTicket = { component: ticket, headers: [...cached, 'Keydesk-Changed'] } as const;

const workflow = Object.entries(categoryTransitions)
  .map(([from, to]) => `${from} → ${to.join(', ') || 'nothing'}`)
  .join('; ');
const statusRule = `Transitions between categories of statuses: ${workflow}; and between statuses of the same category, except \`closed\`. \`GET /ticket_statuses\` lists what each status \`can_become\`. Any other transition gets 409 with the \`allowed\` statuses; a closed ticket cannot be changed at all. Customers may set subject, description, priority, type and cc, and a status of the category \`solved\`. A hidden or undefined status, type or priority gets 400 with the available ones.`;
const ofWorkflow = ['transition_not_allowed', 'ticket_closed'] as const;
const ofChange = [...ofWorkflow, 'external_id_in_use'] as const;

/** Operations on tickets. */
export const ticketOperations: readonly Operation[] = [
  {
    id: 'listTickets',
    method: 'GET',
    ...allTickets,
    summary: 'Fetch the ticket collection',
    description:
      'Returns the tickets that match all given filters. Agents and administrators see all tickets; customers see the tickets that they requested or are copied on. A backslash escapes a comma in a value. People are identified by e-mail address, by id or as `me`. Customers can only filter by fields that they see; other filters get 403. Each ticket appears once across the pages, even if tickets are added in the meantime. A page examines at most 2,000 tickets: if no index supports the filters, it may have fewer members than its limit, or none, although the list continues; it ends when `next_cursor` is null.',
    scope: scopes.read,
    query: parametersSchema,
    openQuery: customFieldQuery,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of tickets',
      component: createPage(listedTicket, 'tickets', {
        name: 'TicketPage',
        hasTotal: true,
        included: includedSchema,
      }),
      headers: [...cached, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'addTicket',
    method: 'POST',
    ...allTickets,
    summary: 'Add a ticket',
    description:
      'With an `Idempotency-Key` the request can be retried safely: for 24 hours a repetition gets the first response, in the requested format. The same holds for 30 days for a request with the same `id`, a random UUID that the client may choose; with another body or caller, or for an id that was once in use, it gets 409 `id_in_use`. Customers are the requesters of the tickets that they add. To follow up on a closed ticket, add a new one with its id as `follow_up_of`.',
    scope: scopes.write,
    isRepeatable: true,
    query: ticketWriteParametersSchema,
    body: { resource: ticketCreate },
    answer: {
      status: 201,
      description: 'The created ticket',
      component: ticket,
      headers: [...cached, 'Location'],
      links: [
        {
          parameters: { ticket_id: '/id' },
          operationIds: [
            'fetchTicket',
            'editTicket',
            'patchTicket',
            'deleteTicket',
            'listReplies',
            'addReply',
            'listEvents',
            'addTicketTags',
            'removeTicketTags',
            'addTicketLink',
          ],
        },
        { parameters: { person_id: '/requester/id' }, operationIds: ['fetchPerson'] },
      ],
    },
    problems: ['id_in_use', 'external_id_in_use'],
  },
  {
    id: 'fetchTicket',
    method: 'GET',
    ...oneTicket,
    summary: 'Fetch one ticket',
    description:
      'Returns all fields unless `fields` selects some. `include` adds people and the newest replies.',
    scope: scopes.read,
    query: projectionParametersSchema,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The ticket', component: ticketView, headers: cached },
    problems: ['validation_failed'],
  },
  {
    id: 'editTicket',
    method: 'PUT',
    ...oneTicket,
    summary: 'Edit a ticket',
    description: `Replaces the given fields and keeps the others. Read-only fields may be sent back unchanged: an older \`version\` or \`updated_at\` gets 412, another value of any other read-only field gets 400. ${statusRule}`,
    scope: scopes.write,
    isRepeatable: true,
    query: ticketWriteParametersSchema,
    conditional: ticketIfMatch,
    body: { resource: ticketUpdate },
    answer: { status: 200, description: 'The updated ticket', ...changedTicket },
    problems: ofChange,
  },
  {
    id: 'patchTicket',
    method: 'PATCH',
    ...oneTicket,
    summary: 'Change parts of a ticket',
    description: `Applies a JSON merge patch (RFC 7396): null resets a field to its default and removes a custom field. Read-only fields are handled as in PUT. ${statusRule}`,
    scope: scopes.write,
    isRepeatable: true,
    query: ticketWriteParametersSchema,
    conditional: ticketIfMatch,
    body: { patchOf: ticketPatch, required: requiredOfTickets },
    answer: { status: 200, description: 'The updated ticket', ...changedTicket },
    problems: ofChange,
  },
  {
    id: 'fetchExternalTicket',
    method: 'GET',
    ...externalTicket,
    summary: 'Fetch a ticket by its external id',
    description:
      'For agents and administrators. Finds a ticket whose external id is unique within this client.',
    scope: scopes.read,
    query: projectionParametersSchema,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The ticket', component: ticketView, headers: cached },
    problems: ['validation_failed'],
  },
  {
    id: 'putTicket',
    method: 'PUT',
    ...externalTicket,
    summary: 'Add or edit a ticket by its external id',
    description: `For agents and administrators. Edits the ticket that has this external id, or adds one; from then on the external id is unique within this client. Repeating the request changes nothing. A new ticket requires a \`subject\`. An \`external_id\` in the body must equal the one in the path. \`If-None-Match: *\` only adds and \`If-Match\` only edits; otherwise the response is 412. The external id of a deleted ticket gets 409 \`external_id_in_use\` until the ticket is restored or purged. ${statusRule}`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: { ...ticketIfMatch, isCurrentOptional: true },
    body: { resource: ticketUpdate },
    answer: { status: 200, description: 'The updated ticket', ...changedTicket },
    otherAnswer: {
      status: 201,
      description: 'The created ticket',
      component: ticket,
      headers: [...cached, 'Location'],
    },
    problems: [...ofChange, 'id_in_use'],
  },
  {
    id: 'deleteTicket',
    method: 'DELETE',
    ...oneTicket,
    summary: 'Delete a ticket',
    description:
      'For agents and administrators. A deleted ticket gets 404. Agents find it in the list of deleted tickets and can restore it until it is purged.',
    scope: scopes.delete,
    isRepeatable: true,
    query: deleteParametersSchema,
    conditional: ticketIfMatch,
    answer: {
      status: 200,
      description: 'The deleted ticket',
      ...changedTicket,
      links: [{ parameters: { ticket_id: '/id' }, operationIds: ['restoreTicket'] }],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'restoreTicket',
    method: 'POST',
    ...oneTicket,
    path: '/ticket/{ticket_id}/restore',
    summary: 'Restore a deleted ticket',
    description: 'For agents and administrators.',
    scope: scopes.write,
    isRepeatable: true,
    conditional: ticketIfMatch,
    answer: {
      status: 200,
      description: 'The restored ticket',
      ...changedTicket,
    },
    problems: ['validation_failed'],
  },
];
