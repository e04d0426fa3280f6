import { z } from 'zod';
import { outputTimestamp } from '../../wire/schema/scalars.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Viewer } from '../people/viewer.ts';
import { canSeeReply, toReplyView } from '../replies/permissions.ts';
import { type Reply, replySchema } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import { ticketSchema } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { canSee, toTicketView } from '../tickets/visibility.ts';
import type { Change } from './change.ts';

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
  changed_at: outputTimestamp.describe('Time of the last change that the caller can see'),
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

export interface ItemReaderDeps {
  tickets: Pick<TicketStore, 'findAll'>;
  replies: Pick<ReplyStore, 'findAll'>;
}

/** Loads the current state of changed resources. What the viewer may no longer see becomes a tombstone. */
export type ItemReader = (viewer: Viewer, changes: readonly Change[]) => Promise<FeedItem[]>;

export function createItemReader({ tickets, replies }: ItemReaderDeps): ItemReader {
  async function loadTickets(viewer: Viewer, changes: readonly Change[]): Promise<Map<string, TicketRecord>> {
    const ids = new Set(changes.filter(({ isDeleted }) => !isDeleted).map(({ ticketId }) => ticketId));
    const visible = (await tickets.findAll([...ids])).filter((record) => canSee(viewer, record));
    return new Map(visible.map((record) => [record.ticket.id, record]));
  }

  async function loadReplies(viewer: Viewer, changes: readonly Change[]): Promise<Map<string, Reply>> {
    if (changes.length === 0) return new Map();
    const visible = (await replies.findAll(changes.map(({ id }) => id))).filter((reply) =>
      canSeeReply(viewer, reply),
    );
    return new Map(visible.map((reply) => [reply.id, toReplyView(viewer, reply)]));
  }

  return async (viewer, changes) => {
    const records = await loadTickets(viewer, changes);
    const isOfReply = ({ resource, isDeleted, ticketId }: Change) =>
      resource === 'reply' && !isDeleted && records.has(ticketId);
    const found = await loadReplies(viewer, changes.filter(isOfReply));
    return changes.map((change) => {
      const record = records.get(change.ticketId);
      if (change.isDeleted || !record) return toTombstone(change);
      if (change.resource === 'ticket') return toItem(change, { ticket: toTicketView(viewer, record) });
      const reply = found.get(change.id);
      return reply?.ticket_id === change.ticketId ? toItem(change, { reply }) : toTombstone(change);
    });
  };
}

function toTombstone(change: Change): FeedItem {
  return { ...toItem(change, {}), deleted: true };
}

function toItem(
  { resource, id, ticketId, at }: Change,
  { ticket = null, reply = null }: Partial<Pick<FeedItem, 'ticket' | 'reply'>>,
): FeedItem {
  return { type: resource, id, ticket_id: ticketId, deleted: false, ticket, reply, changed_at: at };
}
