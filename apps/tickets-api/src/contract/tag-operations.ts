import { scopes } from '../access.ts';
import { tagListGrammar, tagResponder } from '../tickets/tag-list.ts';
import { addedTagsSchema, removedTagsSchema } from '../tickets/tags.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';
import { changedTicket, ticketIfMatch, ticketParameter } from './ticket-operations.ts';

const tag = createComponent('Tag', 'tag', tagResponder.schema, { name: 'printer', count: 12 });
const addedTags = createComponent('TicketTagsAdd', 'ticket', addedTagsSchema, { tags: ['printer', 'fire'] });

const ofTicket = { tag: 'tags', path: '/ticket/{ticket_id}/tags', pathParameters: ticketParameter } as const;

/** What clients can do with tags. */
export const tagOperations: readonly Operation[] = [
  {
    id: 'listTags',
    method: 'GET',
    tag: 'tags',
    path: '/tags',
    summary: 'Fetch the tags that tickets have',
    description:
      'For agents and administrators: the most frequent first, ties by name, unless `sort` says otherwise.',
    scope: scopes.read,
    query: tagListGrammar.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of tags',
      component: createPage(tag, 'tags', { hasTotal: true }),
      headers: ['ETag', 'Cache-Control', 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'addTicketTags',
    method: 'POST',
    ...ofTicket,
    summary: 'Tag a ticket besides',
    description:
      'For agents and administrators. The tags that it has stay, whoever else tags it at the same time. A `PUT` of the ticket replaces all of them.',
    scope: scopes.write,
    isRepeatable: true,
    conditional: ticketIfMatch,
    body: { resource: addedTags },
    answer: {
      status: 200,
      description: 'The tagged ticket',
      ...changedTicket,
    },
    problems: ['ticket_closed'],
  },
  {
    id: 'removeTicketTags',
    method: 'DELETE',
    ...ofTicket,
    summary: 'Take tags from a ticket',
    description:
      'For agents and administrators. The tags stand in the query, for many HTTP libraries send no body with DELETE. Those that it does not have are no fault.',
    scope: scopes.write,
    isRepeatable: true,
    query: removedTagsSchema,
    conditional: ticketIfMatch,
    answer: { status: 200, description: 'The ticket without them', ...changedTicket },
    problems: ['validation_failed', 'ticket_closed'],
  },
];
