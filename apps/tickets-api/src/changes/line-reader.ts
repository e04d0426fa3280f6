import type { Viewer } from '../people/viewer.ts';
import { canSeeReply, replyViewOf } from '../replies/permissions.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { TicketRecord } from '../tickets/ticket-commit.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { canSee, viewOf } from '../tickets/visibility.ts';
import type { Change } from './change.ts';
import type { FeedLine } from './feed-page.ts';

export interface LineReaderDeps {
  tickets: Pick<TicketStore, 'find'>;
  replies: Pick<ReplyStore, 'find'>;
}

/** Changes as the viewer may see them now: what is not theirs to see any more is told as gone, by its ids alone. */
export type LineReader = (viewer: Viewer, changes: readonly Change[]) => Promise<FeedLine[]>;

type Load = (ticketId: string) => Promise<TicketRecord | undefined>;

export function createLineReader({ tickets, replies }: LineReaderDeps): LineReader {
  async function readOne(viewer: Viewer, change: Change, load: Load): Promise<FeedLine> {
    const record = change.isGone ? undefined : await load(change.ticketId);
    if (!record || !canSee(viewer, record)) return toTombstone(change);
    if (change.resource === 'ticket') return toLine(change, { ticket: viewOf(viewer, record) });
    const reply = await replies.find(change.ticketId, change.id);
    if (!reply || !canSeeReply(viewer, reply)) return toTombstone(change);
    return toLine(change, { reply: replyViewOf(viewer, reply) });
  }

  return (viewer, changes) => {
    const load = once((ticketId) => tickets.find(ticketId));
    return Promise.all(changes.map((change) => readOne(viewer, change, load)));
  };
}

/** A ticket comes with its replies, and is read once for all of them. */
function once(load: Load): Load {
  const loaded = new Map<string, ReturnType<Load>>();
  return (ticketId) => {
    const record = loaded.get(ticketId) ?? load(ticketId);
    loaded.set(ticketId, record);
    return record;
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
