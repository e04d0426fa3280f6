import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Viewer } from '../people/viewer.ts';
import { canSeeReply, toReplyView } from '../replies/permissions.ts';
import type { Reply } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { canSee, toTicketView } from '../tickets/visibility.ts';
import type { Change } from './change.ts';
import type { FeedItem } from './feed-item.ts';

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
