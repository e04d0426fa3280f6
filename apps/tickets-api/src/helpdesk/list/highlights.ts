import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Viewer } from '../people/viewer.ts';
import type { Reply } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import { toSnippet } from '../search/snippet.ts';
import type { Ticket } from '../tickets/ticket.ts';

/** Number of replies of a ticket that are searched. */
const NEWEST_REPLIES = 20;
const MOST_SNIPPETS = 5;
/** Characters searched in one text; `MOST_CHARACTERS` limits all texts of a ticket. Splitting long texts is costly. */
const LONGEST_TEXT = 10_000;
const MOST_CHARACTERS = 20_000;
/** Number of tickets whose replies are read in one query. */
const BATCH_SIZE = 10;

/** Snippets of a ticket that match the search. */
export const highlightsSchema = z
  .array(
    z
      .strictObject({
        field: z.enum(['subject', 'description', 'reply']).describe('Text that contains the match'),
        reply_id: z.uuid().nullable().describe('Id of the reply; null for a text of the ticket itself'),
        snippet: z.string().describe('Excerpt in plain text, with « and » around each matching word'),
      })
      .meta({ title: 'Highlight' }),
  )
  .meta({
    item: 'highlight',
    description: `Up to ${MOST_SNIPPETS} matches of the search, in the newest ${NEWEST_REPLIES} replies, the first ${LONGEST_TEXT} characters of each text and ${MOST_CHARACTERS} characters in total; only in lists with \`highlight=true\``,
  });

export type Highlight = Readonly<z.output<typeof highlightsSchema>[number]>;

/** Loads the highlights of each ticket, by its id, from texts that the viewer sees. */
export type LoadHighlights = (
  viewer: Viewer,
  tickets: readonly Ticket[],
  search: readonly SearchTerm[],
) => Promise<ReadonlyMap<string, readonly Highlight[]>>;

export function createHighlights(store: Pick<ReplyStore, 'listNewest'>): LoadHighlights {
  async function loadReplies({ isStaff }: Viewer, tickets: readonly Ticket[]) {
    const ticketIds = tickets.map(({ id }) => id);
    const replies = await store.listNewest({ ticketIds, isPublicOnly: !isStaff, limit: NEWEST_REPLIES });
    return Map.groupBy(replies, ({ ticket_id }) => ticket_id);
  }

  return async (viewer, tickets, search) => {
    const highlights = new Map<string, readonly Highlight[]>();
    for (let i = 0; i < tickets.length; i += BATCH_SIZE) {
      const some = tickets.slice(i, i + BATCH_SIZE);
      const replies = await loadReplies(viewer, some);
      for (const ticket of some) {
        highlights.set(ticket.id, toHighlights(ticket, replies.get(ticket.id) ?? [], search));
        // Yields so that other requests do not wait for the whole page.
        await nextTurn();
      }
    }
    return highlights;
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
  let left = MOST_CHARACTERS;
  for (const { text, ...place } of texts) {
    if (highlights.length === MOST_SNIPPETS || left === 0) break;
    const beginning = text.slice(0, Math.min(LONGEST_TEXT, left)).toWellFormed();
    left -= beginning.length;
    const snippet = toSnippet(beginning, search);
    if (snippet !== undefined) highlights.push({ ...place, snippet });
  }
  return highlights;
}
