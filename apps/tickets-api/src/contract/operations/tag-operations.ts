import { scopes } from '../../api/access/access.ts';
import { tagListGrammar, tagResponder } from '../../api/tickets/tag-routes.ts';
import { addedTagsSchema, removedTagsSchema } from '../../helpdesk/tags/tags.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';
import { changedTicket, ticketIfMatch, ticketParameter } from './ticket-operations.ts';

const tag = createComponent('Tag', 'tag', tagResponder.schema, { name: 'printer', count: 12 });
const addedTags = createComponent('TicketTagsAdd', 'ticket', addedTagsSchema, { tags: ['printer', 'fire'] });

const ofTicket = { tag: 'tags', path: '/ticket/{ticket_id}/tags', pathParameters: ticketParameter } as const;

/** Operations on tags. */
export const tagOperations: readonly Operation[] = [
  {
    id: 'listTags',
    method: 'GET',
    tag: 'tags',
    path: '/tags',
    summary: 'Fetch the tags in use',
    description:
      'For agents and administrators. The most frequent tags come first, ties in order of name, unless `sort` is given.',
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
    summary: 'Add tags to a ticket',
    description:
      'For agents and administrators. Existing tags are kept, also those added concurrently. To replace all tags, `PUT` the ticket.',
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
    summary: 'Remove tags from a ticket',
    description:
      'For agents and administrators. The tags are in the query, because many HTTP libraries send no body with DELETE. Tags that the ticket does not have are ignored.',
    scope: scopes.write,
    isRepeatable: true,
    query: removedTagsSchema,
    conditional: ticketIfMatch,
    answer: { status: 200, description: 'The ticket without the tags', ...changedTicket },
    problems: ['validation_failed', 'ticket_closed'],
  },
];
