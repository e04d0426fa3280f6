import { z } from 'zod';
import { outputTimestamp } from '../../wire/scalars.ts';
import { replySchema } from '../replies/reply.ts';
import { ticketSchema } from '../tickets/ticket.ts';

/** Item of a feed: the current state of a resource as the reader sees it, or a tombstone. */
export const feedItemSchema = z.strictObject({
  type: z.enum(['ticket', 'reply']),
  id: z.uuid().describe('Id of the ticket or the reply'),
  ticket_id: z.uuid().describe('Id of the ticket, or of the ticket that the reply belongs to'),
  deleted: z
    .boolean()
    .describe('Whether it was deleted or is no longer visible to the caller; delete the local copy'),
  // Copies of the schemas, because a named component of the contract cannot be nullable.
  ticket: z.strictObject(ticketSchema.shape).nullable().describe('Current state; null unless it is a ticket'),
  reply: z.strictObject(replySchema.shape).nullable().describe('Current state; null unless it is a reply'),
  changed_at: outputTimestamp.describe('Time of its last change that the caller can see'),
});

export type FeedItem = Readonly<z.output<typeof feedItemSchema>>;

/** Page of a feed. */
export interface FeedPage {
  changes: readonly FeedItem[];
  /** Opaque feed position after this page. */
  position: string;
  /** Whether more changes are available now. */
  has_more: boolean;
  /** Opaque tag of the definitions that the reader sees; it changes with them. */
  fields_tag: string;
}

/** Page with a position after each of its changes. */
export interface ResumablePage extends FeedPage {
  /** Returns the feed position after a change. */
  positionAfter(i: number): string;
}
