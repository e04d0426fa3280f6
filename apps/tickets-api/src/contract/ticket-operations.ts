import { z } from 'zod';
import { scopes } from '../access.ts';
import { categoryTransitions } from '../definitions/categories.ts';
import { tagged } from '../formats/tagged.ts';
import { customFieldNames, customFieldPattern } from '../tickets/filter-parameters.ts';
import { parametersSchema } from '../tickets/list-query.ts';
import { deleteParametersSchema, ticketWriteParametersSchema } from '../tickets/routes.ts';
import { includedSchema, shownParametersSchema, ticketViewSchema } from '../tickets/shown.ts';
import { newTicketSchema, ticketContentSchema, ticketEditSchema, ticketSchema } from '../tickets/ticket.ts';
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

const ticket = createComponent('Ticket', 'ticket', tagged(ticketSchema), {
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

/** The ticket that examples are about. */
export const ticketExample = tagged(ticketSchema).parse(ticket.example);

/** A ticket in a list, where a search may show what it has found. */
const listedTicket = createComponent(
  'TicketListItem',
  'ticket',
  ticketViewSchema.omit({ included: true }),
  ticket.example,
);

/** A ticket as it is read: all of it, unless the caller asks for less or for more. */
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

/** Names a ticket in a path. */
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
      .meta({ description: 'Its id in another system, percent-encoded', examples: ['CRM-7'] }),
  },
} as const;
const allTickets = { tag: 'tickets', path: '/tickets' } as const;

/** The ticket as it is now is told to whoever meant another version. */
export const ticketIfMatch = { header: 'If-Match', current: ticket } as const;
/** The parameters that ask for custom fields. */
export const customFieldQuery = {
  name: 'custom_fields',
  description: `What custom fields hold: ${customFieldNames.map((name) => `\`${name}\``).join(', ')}. They must be defined; values and operators are those of the type of the field: ranges are for integer, decimal and date, \`[all]\` is for multi_select.`,
  names: customFieldPattern,
};

const cached = ['ETag', 'Cache-Control'] as const;
/** The answer to a change of a ticket. */
export const changedTicket = { component: ticket, headers: [...cached, 'Keydesk-Changed'] } as const;

const workflow = Object.entries(categoryTransitions)
  .map(([from, to]) => `${from} → ${to.join(', ') || 'nothing'}`)
  .join('; ');
const statusRule = `By their categories, statuses can change so: ${workflow}; and, but for \`closed\`, to another of the same category. \`GET /ticket_statuses\` has what each \`can_become\`. Any other change of it is 409 with those that are \`allowed\`; a closed ticket cannot be changed at all. Customers may set subject, description, priority, type and cc, and the status to one of the category \`solved\`. A status, type or priority that is hidden or not defined is 400 with those to use.`;
const ofWorkflow = ['transition_not_allowed', 'ticket_closed'] as const;
const ofChange = [...ofWorkflow, 'external_id_in_use'] as const;

/** What clients can do with tickets. */
export const ticketOperations: readonly Operation[] = [
  {
    id: 'listTickets',
    method: 'GET',
    ...allTickets,
    summary: 'Fetch the ticket collection',
    description:
      'A page of the tickets for which all the given filters hold: of all tickets for agents and administrators; for customers, of those that they asked for or are copied on. A comma that belongs to a value has a backslash before it; people are named by e-mail address, by id or as `me`. Customers find tickets by what they see of them; any other filter is 403. Page after page, each ticket comes once, whatever is added meanwhile. A page looks at 2,000 tickets at most: with filters that no index serves it may hold fewer than its limit, even none, before the list ends, which it does when `next_cursor` is null.',
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
      'With an `Idempotency-Key` it may be repeated when its answer was lost: for 24 hours the first answer comes again, in the format that is asked for. So it does for 30 days under the same `id`, a random UUID that a client may choose; with another body or from another caller, and for an id that was once in use, it is 409 `id_in_use`. Customers are the requesters of the tickets that they add. A closed ticket is taken up again by a new one that names it as `follow_up_of`.',
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
      'All of it, unless `fields` selects some; `include` brings people and the newest replies with it.',
    scope: scopes.read,
    query: shownParametersSchema,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The ticket', component: ticketView, headers: cached },
    problems: ['validation_failed'],
  },
  {
    id: 'editTicket',
    method: 'PUT',
    ...oneTicket,
    summary: 'Edit a ticket',
    description: `Replaces the fields that are given and leaves the others. The read-only ones may be sent back as they were read: an older \`version\` or \`updated_at\` is 412, another value of the others is 400. ${statusRule}`,
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
    description: `Applies a JSON merge patch (RFC 7396): null takes a field back to its default and removes a custom field. Read-only fields are treated as by PUT. ${statusRule}`,
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
      'For agents and administrators. Finds the ticket whose external id is unique within this client.',
    scope: scopes.read,
    query: shownParametersSchema,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The ticket', component: ticketView, headers: cached },
    problems: ['validation_failed'],
  },
  {
    id: 'putTicket',
    method: 'PUT',
    ...externalTicket,
    summary: 'Add or edit a ticket by its external id',
    description: `For agents and administrators. Adds a ticket with this external id, which is unique within this client from then on, or edits the one that has it: sent twice, the second changes nothing. A new ticket needs a \`subject\`. An \`external_id\` in the body must be the one of the path. With \`If-None-Match: *\` it only adds, with \`If-Match\` it only edits: otherwise 412. A deleted ticket is 409 \`external_id_in_use\` until it is restored or purged. ${statusRule}`,
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
      'For agents and administrators. It is there for nobody then; agents find it in the list of deleted tickets, and may restore it until it is purged.',
    scope: scopes.delete,
    isRepeatable: true,
    query: deleteParametersSchema,
    conditional: ticketIfMatch,
    answer: {
      status: 200,
      description: 'The ticket as it was last',
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
      description: 'The ticket, which is there again',
      ...changedTicket,
    },
    problems: ['validation_failed'],
  },
];
