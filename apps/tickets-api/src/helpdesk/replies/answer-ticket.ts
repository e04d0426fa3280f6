import { assertChoosable } from '../definitions/choosable.ts';
import { withCheckedValues } from '../fields/check-values.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertRight } from '../roles/assert-right.ts';
import { type Message, withReply } from '../tickets/conversation.ts';
import { assertMayChange } from '../tickets/permissions.ts';
import { listReaders } from '../tickets/readers.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { moveTo, reopen } from '../tickets/workflow.ts';
import type { Reply } from './reply.ts';

interface Writing {
  viewer: Viewer;
  /** Status that the reply sets. */
  status: Ticket['status'] | undefined;
  now: Date;
}

/**
 * Returns the ticket after a reply. The reply sets the requested status; without one, a reply by a customer reopens the
 * ticket. The time of the first reply that counts as one is recorded.
 *
 * @throws {AppError} `forbidden`, `transition_not_allowed`, `validation_failed` when a required field has no value
 */
export function answerTicket(ticket: Ticket, reply: Message, { viewer, status, now }: Writing): Ticket {
  const isPublic = reply.visibility === 'public';
  const isFirst = reply.counts_as_reply && ticket.first_replied_at === null;
  const noted = isFirst ? { ...ticket, first_replied_at: now.toISOString() } : ticket;
  if (status !== undefined) {
    assertMayChange(viewer, { status }, ticket);
    if (status !== ticket.status) assertChoosable(viewer.definitions, { status });
    const moved = moveTo(viewer.definitions, noted, status, now);
    return withReply(withCheckedValues(viewer, ticket, moved), reply);
  }
  if (!viewer.isStaff && ticket.status_category === 'solved') {
    assertRight(viewer, 'reopen_tickets', ' With the status that the ticket has, a reply leaves it solved.');
  }
  return withReply(isPublic && reply.incoming ? reopen(noted, now) : noted, reply);
}

/**
 * Whether a reply comes from the customer's side, such as one that a mail gateway adds on behalf of a person on the
 * ticket.
 */
export function isIncoming(
  ticket: Ticket,
  { viewer, author }: { viewer: Viewer; author: Reply['author'] },
): boolean {
  if (!viewer.isStaff) return true;
  if (author?.type !== 'person' || author.id === null || author.id === viewer.person?.id) return false;
  return listReaders(ticket).includes(author.id);
}
