import type { Viewer } from '../people/viewer.ts';
import { canSeeReply, replyViewOf } from '../replies/permissions.ts';
import type { Reply } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { TicketRecord } from '../tickets/ticket-commit.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { canSee, viewOf } from '../tickets/visibility.ts';
import type { Change } from './change.ts';
import type { FeedLine } from './feed-page.ts';

export interface LineReaderDeps {
  tickets: Pick<TicketStore, 'findAll'>;
  replies: Pick<ReplyStore, 'findAll'>;
}

/** Changes as the viewer may see them now: what is not theirs to see any more is told as gone, by its ids alone. */
export type LineReader = (viewer: Viewer, changes: readonly Change[]) => Promise<FeedLine[]>;

export function createLineReader({ tickets, replies }: LineReaderDeps): LineReader {
  async function loadTickets(viewer: Viewer, changes: readonly Change[]): Promise<Map<string, TicketRecord>> {
    const ids = new Set(changes.filter(({ isGone }) => !isGone).map(({ ticketId }) => ticketId));
    const visible = (await tickets.findAll([...ids])).filter((record) => canSee(viewer, record));
    return new Map(visible.map((record) => [record.ticket.id, record]));
  }

  async function loadReplies(viewer: Viewer, changes: readonly Change[]): Promise<Map<string, Reply>> {
    if (changes.length === 0) return new Map();
    const visible = (await replies.findAll(changes.map(({ id }) => id))).filter((reply) =>
      canSeeReply(viewer, reply),
    );
    return new Map(visible.map((reply) => [reply.id, replyViewOf(viewer, reply)]));
  }

  return async (viewer, changes) => {
    const records = await loadTickets(viewer, changes);
    const isOfReply = ({ resource, isGone, ticketId }: Change) =>
      resource === 'reply' && !isGone && records.has(ticketId);
    const found = await loadReplies(viewer, changes.filter(isOfReply));
    return changes.map((change) => {
      const record = records.get(change.ticketId);
      if (change.isGone || !record) return toTombstone(change);
      if (change.resource === 'ticket') return toLine(change, { ticket: viewOf(viewer, record) });
      const reply = found.get(change.id);
      return reply?.ticket_id === change.ticketId ? toLine(change, { reply }) : toTombstone(change);
    });
  };
}

function toTombstone(change: Change): FeedLine {
  return { ...toLine(change, {}), deleted: true };
}

function toLine(
  { resource, id, ticketId, at }: Change,
  { ticket = null, reply = null }: Partial<Pick<FeedLine, 'ticket' | 'reply'>>,
): FeedLine {
  return { type: resource, id, ticket_id: ticketId, deleted: false, ticket, reply, changed_at: at };
}
