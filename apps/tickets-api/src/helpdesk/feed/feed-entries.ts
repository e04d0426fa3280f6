import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { ReplyTrace } from '../replies/load-all-replies.ts';
import type { Reply } from '../replies/reply.ts';
import { listReaders } from '../tickets/ticket.ts';
import { isPublicChange } from '../tickets/ticket-record.ts';
import type { FeedEntry, Reader } from './change.ts';

/** Change of a ticket with its replies. */
export interface TicketDifference {
  id: string;
  /** Previous state; `undefined` for a new ticket. */
  before: TicketRecord | undefined;
  /** New state; `undefined` for a purge. */
  after: TicketRecord | undefined;
  writtenReplies: readonly Reply[];
  removedReplies: readonly ReplyTrace[];
  /** All other replies, if a reader gains or loses access to the ticket. */
  otherReplies: readonly ReplyTrace[];
}

/** Whether a reader gains or loses access to the ticket and its replies. */
export function changesAccess({ before, after }: Pick<TicketDifference, 'before' | 'after'>): boolean {
  const [from, to] = [toReaders(before), toReaders(after)];
  return from.size !== to.size || [...from].some((reader) => !to.has(reader));
}

/**
 * Returns the feed entries of a change. Staff get all of it; customers get the changes that they may see, and
 * tombstones when they lose access.
 */
export function toFeedEntries(difference: TicketDifference): readonly FeedEntry[] {
  const from = toReaders(difference.before);
  const to = toReaders(difference.after);
  return [
    ...[...to].flatMap((reader) => toVisibleEntries(reader, difference, !from.has(reader))),
    ...[...from].filter((reader) => !to.has(reader)).flatMap((reader) => toTombstones(reader, difference)),
  ];
}

function toReaders(record: TicketRecord | undefined): ReadonlySet<Reader> {
  if (!record || record.ticket.deleted_at !== null) return new Set();
  return new Set<Reader>(['staff', ...listReaders(record.ticket)]);
}

/** @param isNew the reader has just gained access and gets the replies as well */
function toVisibleEntries(reader: Reader, difference: TicketDifference, isNew: boolean): FeedEntry[] {
  const { id, before, after, writtenReplies, removedReplies, otherReplies } = difference;
  const isSeen =
    isNew ||
    reader === 'staff' ||
    (before !== undefined && after !== undefined && isPublicChange(before, after));
  if (!isSeen) return [];
  const written = isNew ? [...writtenReplies, ...otherReplies] : writtenReplies;
  const removed = isNew ? [] : removedReplies;
  return [
    { reader, resource: 'ticket', id, ticketId: id, isDeleted: false },
    ...written.filter(canRead(reader)).map((reply) => toReplyEntry(reader, reply, false)),
    ...removed.filter(canRead(reader)).map((reply) => toReplyEntry(reader, reply, true)),
  ];
}

function toTombstones(reader: Reader, { id, removedReplies, otherReplies }: TicketDifference): FeedEntry[] {
  return [
    { reader, resource: 'ticket', id, ticketId: id, isDeleted: true },
    ...[...removedReplies, ...otherReplies]
      .filter(canRead(reader))
      .map((reply) => toReplyEntry(reader, reply, true)),
  ];
}

function canRead(reader: Reader): (reply: ReplyTrace) => boolean {
  return ({ visibility }) => reader === 'staff' || visibility === 'public';
}

function toReplyEntry(reader: Reader, { id, ticket_id }: ReplyTrace, isDeleted: boolean): FeedEntry {
  return { reader, resource: 'reply', id, ticketId: ticket_id, isDeleted: isDeleted };
}
