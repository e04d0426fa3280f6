import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { streamParametersSchema } from '../../api/changes/event-stream.ts';
import { renderFeedPage, selectedItemSchema } from '../../api/changes/feed-page.ts';
import { changesParametersSchema } from '../../api/changes/routes.ts';
import type { Component } from '../component.ts';
import type { Operation } from '../operation.ts';
import { ticketExample } from './ticket-operations.ts';

const example = {
  changes: [
    {
      type: 'ticket' as const,
      id: ticketExample.id,
      ticket_id: ticketExample.id,
      deleted: false,
      ticket: ticketExample,
      reply: null,
      changed_at: '2026-01-31T09:00:00.000Z',
    },
    {
      type: 'reply' as const,
      id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6081',
      ticket_id: ticketExample.id,
      deleted: true,
      ticket: null,
      reply: null,
      changed_at: '2026-01-31T09:05:00.000Z',
    },
  ],
  position: 'WzIsMCwiMWIyNWJiIl0',
  has_more: false,
  fields_tag: '2jmj7l5rSw0yVb_vlWAYkK_YBwk',
};

const { etag, ...untagged } = ticketExample;

/** Returns an entry without entity tag, as it is before rendering. */
function toUntagged(line: (typeof example.changes)[number]) {
  return line.ticket ? { ...line, ticket: untagged } : line;
}

const changes: Component = {
  name: 'Changes',
  element: 'changes',
  schema: z.object({
    changes: z.array(selectedItemSchema).meta({ item: 'change', xml: { wrapped: false } }),
    position: z.string().meta({
      description: 'Feed position after this page; send it as `since` of the next request',
      xml: { attribute: true },
    }),
    has_more: z
      .boolean()
      .meta({ description: 'Whether more changes are available now', xml: { attribute: true } }),
    fields_tag: z.string().meta({
      description:
        'Differs after any change of the definitions of custom fields, statuses, types or priorities; fetch them again then',
      xml: { attribute: true },
    }),
  }),
  example,
  exampleXml: String(
    renderFeedPage('xml', { ...example, changes: example.changes.map(toUntagged) }, () => etag),
  ),
};

const description = `\
Returns all changes that the caller can see, in order. Each ticket and reply appears once, in its current state; one that \
was deleted, or that the caller may no longer see, has \`deleted\` and its ids only. Without \`since\` the feed begins with \
everything that exists. Store each page and repeat the request with its \`position\` until \`has_more\` is false; continue \
from that position at any later time, and no change is missed. A position is valid for the caller's own feed only. With \`wait\`, \
an empty response is held back until a change arrives or the time has passed; more than 20 waiting requests of one client and \
subject are rejected as too many requests. A position older than the retention period of tombstones gets 410: start over \
without \`since\`, read to the end, and then delete local copies that were not returned. When \`fields_tag\` differs from the previous one, \
the definitions of custom fields, statuses, types or priorities have changed: fetch them again. If the set of fields visible to \
customers has changed, their clients also have to read the tickets again from the beginning.`;

const streamDescription = `\
The feed of \`/changes\` as an endless stream of Server-Sent Events. Request it with \`Accept: text/event-stream\`, without a \
suffix or with \`.json\`. The data of a \`change\` event is one entry of \`changes\` in JSON. A \`position\` event says that all \
current changes have been sent, or that \`fields_tag\` has changed. Both have a feed position as \`id\`, which \`Last-Event-ID\` accepts like \`since\`. \
The last event is \`closing\` with the \`reason\` \`token_expired\` or \`shutting_down\`: connect again; or \`token_revoked\`: \
the next request needs another token. The data of a \`problem\` event is a problem document.`;

const streamExample = `\
retry: 1000

id: ${example.position}
event: change
data: ${JSON.stringify(example.changes[1])}

id: ${example.position}
event: position
data: ${JSON.stringify({ position: example.position, fields_tag: example.fields_tag })}

event: closing
data: {"reason":"token_expired"}

`;

/** Operations on the change feed. */
export const changeOperations: readonly Operation[] = [
  {
    id: 'listChanges',
    method: 'GET',
    tag: 'changes',
    path: '/changes',
    summary: 'Follow changes',
    description,
    scope: scopes.read,
    query: changesParametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of changes',
      component: changes,
      headers: ['ETag', 'Cache-Control'],
    },
    problems: ['validation_failed', 'position_expired'],
    stream: {
      id: 'streamChanges',
      summary: 'Stream changes',
      description: streamDescription,
      query: streamParametersSchema,
      example: streamExample,
    },
  },
];
