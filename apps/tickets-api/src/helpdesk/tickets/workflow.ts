import { AppError } from '@keydesk/errors';
import type { StatusCategory } from '../definitions/definition.ts';
import type { DefinitionSet, StatusOfTicket } from '../definitions/definition-set.ts';
import type { Ticket } from './ticket.ts';

/**
 * Moves a ticket to another status and sets `solved_at` or `closed_at`. Solving and closing also clear `waiting_since`.
 *
 * @param status the id of a defined status
 * @throws {AppError} `transition_not_allowed` with the allowed statuses
 */
export function moveTo(definitions: DefinitionSet, ticket: Ticket, status: string, now: Date): Ticket {
  if (status === ticket.status) return ticket;
  const allowed = definitions.nextOf({ id: ticket.status, category: ticket.status_category });
  if (!allowed.includes(status)) {
    throw new AppError(
      'transition_not_allowed',
      `A ticket that is ${ticket.status} cannot become ${status}; it can become ${allowed.join(', ') || 'nothing else'}.`,
      { extensions: { allowed } },
    );
  }
  const { category } = definitions.find({ kind: 'status', id: status }) ?? {};
  return enter(ticket, { id: status, category: category ?? ticket.status_category }, now);
}

/** Moves a ticket to the built-in status of a category by a rule, independent of the defined transitions. */
export function moveToBuiltIn(ticket: Ticket, category: StatusCategory, now: Date): Ticket {
  return enter(ticket, { id: category, category }, now);
}

/** Sets the status; times of solving and closing are set only when the category changes. */
function enter(ticket: Ticket, { id, category }: StatusOfTicket, now: Date): Ticket {
  const times = category === ticket.status_category ? {} : timesOf(category, now);
  return { ...ticket, status: id, status_category: category, ...times };
}

/** Returns the times to set when a ticket enters a category. */
export function timesOf(category: StatusCategory, now: Date): Partial<Ticket> {
  const at = now.toISOString();
  if (category === 'solved') return { solved_at: at, waiting_since: null };
  return category === 'closed' ? { closed_at: at, waiting_since: null } : {};
}

/** Reopens a pending or solved ticket after a message from the customer. */
export function reopen(ticket: Ticket, now: Date): Ticket {
  const { status_category } = ticket;
  const isReopened = status_category === 'pending' || status_category === 'solved';
  return isReopened ? moveToBuiltIn(ticket, 'open', now) : ticket;
}

/** Whether a ticket is solved or closed. */
export function isDone({ status_category }: Pick<Ticket, 'status_category'>): boolean {
  return status_category === 'solved' || status_category === 'closed';
}

/** @throws {AppError} `ticket_closed`, whose text explains how to follow the ticket up */
export function assertNotClosed({ id, status_category }: Ticket): void {
  if (status_category !== 'closed') return;
  throw new AppError(
    'ticket_closed',
    `The ticket is closed. To create a follow-up, POST /tickets with "follow_up_of": "${id}".`,
    { extensions: { allowed: [] } },
  );
}
