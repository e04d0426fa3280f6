import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { replyGrammar, replyParametersSchema, replyResponder } from '../../api/replies/routes.ts';
import { newReplySchema, replyEditSchema } from '../../helpdesk/replies/edits.ts';
import { replySchema } from '../../helpdesk/replies/reply.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';
import { ticketIfMatch, ticketParameter } from './ticket-operations.ts';

const reply = createComponent('Reply', 'reply', withEtag(replySchema), {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081',
  ticket_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  visibility: 'public',
  author: {
    type: 'person',
    id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073',
    email: 'grace@example.com',
    name: 'Grace',
  },
  incoming: false,
  counts_as_reply: true,
  body: 'The fire brigade is on its way.',
  created_at: '2026-01-31T09:05:00.000Z',
  updated_at: '2026-01-31T09:05:00.000Z',
  version: 1,
  etag: '"1-9f3a2c41d7-json"',
});

/** Reply in a list with sparse fieldsets. */
const selectedReply = createComponent('ReplyListItem', 'reply', replyResponder.schema, reply.example);

const replyCreate = createComponent('ReplyCreate', 'reply', newReplySchema, {
  visibility: 'public',
  body: 'The fire brigade is on its way.',
  status: 'pending',
});

const words = { body: 'The fire brigade is there.' };
const replyUpdate = createComponent('ReplyUpdate', 'reply', replyEditSchema, words);
const replyPatch = createComponent('ReplyPatch', 'reply', replyEditSchema, words);

const ofTicket = {
  tag: 'replies',
  path: '/ticket/{ticket_id}/replies',
  pathParameters: ticketParameter,
} as const;
const oneReply = {
  tag: 'replies',
  path: '/ticket/{ticket_id}/reply/{reply_id}',
  pathParameters: {
    ...ticketParameter,
    reply_id: z.uuid().meta({ description: 'The `id` of the reply', examples: [reply.example.id] }),
  },
} as const;

const ifMatch = { header: 'If-Match', current: reply } as const;
const cached = ['ETag', 'Cache-Control'] as const;
const changed = { component: reply, headers: [...cached, 'Keydesk-Changed'] } as const;
const editRule =
  'Authors may change their replies for a limited time, administrators always, unless the ticket is closed.';

/** Operations on replies. */
export const replyOperations: readonly Operation[] = [
  {
    id: 'listReplies',
    method: 'GET',
    ...ofTicket,
    summary: 'Fetch the replies to a ticket',
    description: 'Sorted by creation time. Internal replies are included for agents and administrators only.',
    scope: scopes.read,
    query: replyGrammar.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of replies',
      component: createPage(selectedReply, 'replies', { name: 'ReplyPage', hasTotal: true }),
      headers: [...cached, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'addReply',
    method: 'POST',
    ...ofTicket,
    summary: 'Reply to a ticket',
    description:
      '`If-Match` refers to the ticket. A `status` is set on the ticket in the same transaction; without one, a reply by a customer reopens a pending or solved ticket. Customers write public replies in their own name. Staff may write internal replies, which are invisible to customers, and replies on behalf of others. Clients may choose the `id`, as for tickets.',
    scope: scopes.write,
    isRepeatable: true,
    conditional: ticketIfMatch,
    body: { resource: replyCreate },
    answer: {
      status: 201,
      description: 'The created reply',
      component: reply,
      headers: [...cached, 'Location'],
      links: [
        {
          parameters: { ticket_id: '/ticket_id', reply_id: '/id' },
          operationIds: ['fetchReply', 'editReply', 'patchReply', 'deleteReply'],
        },
      ],
    },
    problems: ['transition_not_allowed', 'ticket_closed', 'id_in_use'],
  },
  {
    id: 'fetchReply',
    method: 'GET',
    ...oneReply,
    summary: 'Fetch one reply',
    description: 'Internal replies get 404 for customers.',
    scope: scopes.read,
    query: replyParametersSchema,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The reply', component: reply, headers: cached },
  },
  {
    id: 'editReply',
    method: 'PUT',
    ...oneReply,
    summary: 'Edit a reply',
    description: `Replaces the body; read-only members may be sent back unchanged. ${editRule}`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { resource: replyUpdate },
    answer: { status: 200, description: 'The updated reply', ...changed },
    problems: ['ticket_closed'],
  },
  {
    id: 'patchReply',
    method: 'PATCH',
    ...oneReply,
    summary: 'Change parts of a reply',
    description: `Applies a JSON merge patch (RFC 7396). ${editRule}`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { patchOf: replyPatch, required: ['body'] },
    answer: { status: 200, description: 'The updated reply', ...changed },
    problems: ['ticket_closed'],
  },
  {
    id: 'deleteReply',
    method: 'DELETE',
    ...oneReply,
    summary: 'Remove a reply',
    description: editRule,
    scope: scopes.delete,
    isRepeatable: true,
    conditional: ifMatch,
    answer: { status: 200, description: 'The removed reply', ...changed },
    problems: ['ticket_closed'],
  },
];
