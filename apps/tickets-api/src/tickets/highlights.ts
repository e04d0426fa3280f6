import { z } from 'zod';
import type { Viewer } from '../people/viewer.ts';
import type { Reply } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import { toSnippet } from '../search/snippet.ts';
import type { Ticket } from './ticket.ts';

/** The replies of a ticket that are looked at. */
const NEWEST_REPLIES = 20;
const MOST_SNIPPETS = 5;

/** Where a ticket has what was searched for. */
export const highlightsSchema = z
  .array(
    z.strictObject({
      field: z.enum(['subject', 'description', 'reply']).describe('Which text it is from'),
      reply_id: z.uuid().nullable().describe('The reply; null for the ticket itself'),
      snippet: z
        .string()
        .describe('A piece of the text, plain, with « and » around the words that were found'),
    }),
  )
  .meta({
    item: 'highlight',
    description: `Up to ${MOST_SNIPPETS} places where it has what was searched for, of its replies in the newest ${NEWEST_REPLIES}; only in lists, and only where \`highlight=true\` asks for them`,
  });

export type Highlight = Readonly<z.output<typeof highlightsSchema>[number]>;

/** What of each ticket was found, by its id, in texts that the viewer sees. */
export type LoadHighlights = (
  viewer: Viewer,
  tickets: readonly Ticket[],
  search: readonly SearchTerm[],
) => Promise<ReadonlyMap<string, readonly Highlight[]>>;

export function createHighlights(store: Pick<ReplyStore, 'listNewest'>): LoadHighlights {
  return async ({ isStaff }, tickets, search) => {
    const ticketIds = tickets.map(({ id }) => id);
    const replies = await store.listNewest({ ticketIds, isPublicOnly: !isStaff, limit: NEWEST_REPLIES });
    const byTicket = Map.groupBy(replies, ({ ticket_id }) => ticket_id);
    return new Map(
      tickets.map((ticket) => [ticket.id, toHighlights(ticket, byTicket.get(ticket.id) ?? [], search)]),
    );
  };
}

function toHighlights(
  ticket: Ticket,
  replies: readonly Reply[],
  search: readonly SearchTerm[],
): readonly Highlight[] {
  const texts = [
    { field: 'subject' as const, reply_id: null, text: ticket.subject },
    { field: 'description' as const, reply_id: null, text: ticket.description },
    ...replies.map(({ id, body }) => ({ field: 'reply' as const, reply_id: id, text: body })),
  ];
  const highlights: Highlight[] = [];
  for (const { text, ...place } of texts) {
    const snippet = highlights.length < MOST_SNIPPETS ? toSnippet(text, search) : undefined;
    if (snippet !== undefined) highlights.push({ ...place, snippet });
  }
  return highlights;
}
