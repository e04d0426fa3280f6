import { z } from 'zod';
import { scopes } from '../access.ts';
import { streamParametersSchema } from '../changes/event-stream.ts';
import { renderFeedPage, selectedLineSchema } from '../changes/feed-page.ts';
import { changesParametersSchema } from '../changes/routes.ts';
import type { Component } from './component.ts';
import type { Operation } from './operation.ts';
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

/** A line as it is before it is rendered. */
function toUntagged(line: (typeof example.changes)[number]) {
  return line.ticket ? { ...line, ticket: untagged } : line;
}

const changes: Component = {
  name: 'Changes',
  element: 'changes',
  schema: z.object({
    changes: z.array(selectedLineSchema).meta({ item: 'change', xml: { wrapped: false } }),
    position: z.string().meta({
      description: 'Where to go on: the `since` of the next request',
      xml: { attribute: true },
    }),
    has_more: z
      .boolean()
      .meta({ description: 'Whether there is more to read now', xml: { attribute: true } }),
    fields_tag: z.string().meta({
      description:
        'Changes with the definitions of custom fields, statuses, types and priorities: fetch them again',
      xml: { attribute: true },
    }),
  }),
  example,
  exampleXml: String(
    renderFeedPage('xml', { ...example, changes: example.changes.map(toUntagged) }, () => etag),
  ),
};

const description = `\
Everything that changed of what the caller sees, in order, each ticket and reply once and as it is now; what is deleted, \
or no longer theirs to see, as \`deleted\` with its ids alone. Without \`since\` it begins with all there is. Keep what \
came, ask again with the \`position\` of the answer until \`has_more\` is false, and go on from there at any later time: \
nothing is missed. A position is good for the caller's own feed alone. With \`wait\`, an answer that would be empty is held \
back until something comes or the time is up; beyond 20 such requests of a client and subject at once it is too many \
requests. A position that is older than what is kept of deletions is 410: start over without \`since\`, and when you have \
read to the end forget what did not come. When \`fields_tag\` is another one than before, definitions of custom fields, \
statuses, types or priorities have changed: fetch them again; and if another field came or went for a customer, their copies of tickets \
have to be read from the beginning, too.`;

const streamDescription = `\
What \`/changes\` tells, as a stream of Server-Sent Events that does not end by itself: ask with \
\`Accept: text/event-stream\`, without a suffix or with \`.json\`. An event \`change\` has one of \`changes\` as its data, in JSON, and \`position\` tells \
that there is no more for now, or that \`fields_tag\` has changed; both have a position as their \`id\`, which \`Last-Event-ID\` takes as \`since\`. An event \
\`closing\` comes last, with the \`reason\` \`token_expired\` or \`shutting_down\`: connect again. An event \`problem\` \
has a failure as its data.`;

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

/** How clients follow what changes. */
export const changeOperations: readonly Operation[] = [
  {
    id: 'listChanges',
    method: 'GET',
    tag: 'changes',
    path: '/changes',
    summary: 'Follow what changes',
    description,
    scope: scopes.read,
    query: changesParametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'What changed',
      component: changes,
      headers: ['ETag', 'Cache-Control'],
    },
    problems: ['validation_failed', 'position_expired'],
    stream: {
      id: 'streamChanges',
      summary: 'Stream what changes',
      description: streamDescription,
      query: streamParametersSchema,
      example: streamExample,
    },
  },
];
