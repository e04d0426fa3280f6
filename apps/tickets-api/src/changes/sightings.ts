import type { ReplyTrace } from '../replies/load-all-replies.ts';
import type { Reply } from '../replies/reply.ts';
import { readersOf } from '../tickets/readers.ts';
import type { TicketRecord } from '../tickets/ticket-commit.ts';
import { isPublicChange } from '../tickets/ticket-record.ts';
import type { Reader, Sighting } from './change.ts';

/** What becomes of a ticket and what belongs to it. */
export interface Difference {
  id: string;
  /** `undefined`: it is new. */
  before: TicketRecord | undefined;
  /** `undefined`: it is purged. */
  after: TicketRecord | undefined;
  writtenReplies: readonly Reply[];
  removedReplies: readonly ReplyTrace[];
  /** Where somebody begins or ceases to see the ticket: all replies that are not written or removed now. */
  otherReplies: readonly ReplyTrace[];
}

/** Whether somebody begins or ceases to see the ticket, and with it all its replies. */
export function changesReaders({ before, after }: Pick<Difference, 'before' | 'after'>): boolean {
  const [from, to] = [audienceOf(before), audienceOf(after)];
  return from.size !== to.size || [...from].some((reader) => !to.has(reader));
}

/**
 * What each reader sees of a difference: staff all of it; customers what changes of what is theirs to see, and that it
 * is gone when it no longer is.
 */
export function toSightings(difference: Difference): readonly Sighting[] {
  const from = audienceOf(difference.before);
  const to = audienceOf(difference.after);
  return [
    ...[...to].flatMap((reader) => toSeen(reader, difference, !from.has(reader))),
    ...[...from].filter((reader) => !to.has(reader)).flatMap((reader) => toGone(reader, difference)),
  ];
}

function audienceOf(record: TicketRecord | undefined): ReadonlySet<Reader> {
  if (!record || record.ticket.deleted_at !== null) return new Set();
  return new Set<Reader>(['staff', ...readersOf(record.ticket)]);
}

/** @param isNew the reader has seen nothing of it before, so that all there is comes with it */
function toSeen(reader: Reader, difference: Difference, isNew: boolean): Sighting[] {
  const { id, before, after, writtenReplies, removedReplies, otherReplies } = difference;
  const isSeen =
    isNew ||
    reader === 'staff' ||
    (before !== undefined && after !== undefined && isPublicChange(before, after));
  if (!isSeen) return [];
  const written = isNew ? [...writtenReplies, ...otherReplies] : writtenReplies;
  const removed = isNew ? [] : removedReplies;
  return [
    { reader, resource: 'ticket', id, ticketId: id, isGone: false },
    ...written.filter(canRead(reader)).map((reply) => ofReply(reader, reply, false)),
    ...removed.filter(canRead(reader)).map((reply) => ofReply(reader, reply, true)),
  ];
}

function toGone(reader: Reader, { id, removedReplies, otherReplies }: Difference): Sighting[] {
  return [
    { reader, resource: 'ticket', id, ticketId: id, isGone: true },
    ...[...removedReplies, ...otherReplies]
      .filter(canRead(reader))
      .map((reply) => ofReply(reader, reply, true)),
  ];
}

function canRead(reader: Reader): (reply: ReplyTrace) => boolean {
  return ({ visibility }) => reader === 'staff' || visibility === 'public';
}

function ofReply(reader: Reader, { id, ticket_id }: ReplyTrace, isGone: boolean): Sighting {
  return { reader, resource: 'reply', id, ticketId: ticket_id, isGone };
}
