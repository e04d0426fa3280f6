import { assertChoosable } from '../definitions/chosen.ts';
import { settleValues } from '../fields/settle-values.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertRight } from '../roles/assert-right.ts';
import { type Message, withReply } from '../tickets/conversation.ts';
import { assertMayChange } from '../tickets/permissions.ts';
import { readersOf } from '../tickets/readers.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { moveTo, reopen } from '../tickets/workflow.ts';
import type { Reply } from './reply.ts';

interface Writing {
  viewer: Viewer;
  /** The status that the reply carries. */
  status: Ticket['status'] | undefined;
  now: Date;
}

/**
 * What a reply does to its ticket: it sets the status that it carries; without one, a customer's reopens the ticket.
 * The first one that counts as a reply is noted.
 *
 * @throws {AppError} `forbidden`, `transition_not_allowed`, `validation_failed` when a field must have a value first
 */
export function answerTicket(ticket: Ticket, reply: Message, { viewer, status, now }: Writing): Ticket {
  const isPublic = reply.visibility === 'public';
  const isFirst = reply.counts_as_reply && ticket.first_replied_at === null;
  const noted = isFirst ? { ...ticket, first_replied_at: now.toISOString() } : ticket;
  if (status !== undefined) {
    assertMayChange(viewer, { status }, ticket);
    if (status !== ticket.status) assertChoosable(viewer.definitions, { status });
    const moved = moveTo(viewer.definitions, noted, status, now);
    return withReply(settleValues(viewer, ticket, moved), reply);
  }
  if (!viewer.isStaff && ticket.status_category === 'solved') {
    assertRight(viewer, 'reopen_tickets', ' With the status that the ticket has, a reply leaves it solved.');
  }
  return withReply(isPublic && reply.incoming ? reopen(noted, now) : noted, reply);
}

/** Staff who write on behalf of somebody on the ticket, as a program does that receives mail, pass on what they said. */
export function isIncoming(
  ticket: Ticket,
  { viewer, author }: { viewer: Viewer; author: Reply['author'] },
): boolean {
  if (!viewer.isStaff) return true;
  if (author?.type !== 'person' || author.id === null || author.id === viewer.person?.id) return false;
  return readersOf(ticket).includes(author.id);
}
