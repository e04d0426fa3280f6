import { AppError } from '@keydesk/http';
import type { Ticket } from './ticket.ts';

export type TicketStatus = Ticket['status'];

/** Where a ticket can go from each status. Nothing becomes new again, and what is closed stays so. */
export const transitions: Readonly<Record<TicketStatus, readonly TicketStatus[]>> = {
  new: ['open', 'pending', 'hold', 'solved'],
  open: ['pending', 'hold', 'solved'],
  pending: ['open', 'hold', 'solved'],
  hold: ['open', 'pending', 'solved'],
  solved: ['open', 'pending', 'hold', 'closed'],
  closed: [],
};

/**
 * The ticket in another status. `solved_at` and `closed_at` tell when it was last solved and when closed; both answer the
 * customer.
 *
 * @throws {AppError} `transition_not_allowed` with those that are allowed
 */
export function moveTo(ticket: Ticket, status: TicketStatus, now: Date): Ticket {
  if (status === ticket.status) return ticket;
  const allowed = transitions[ticket.status];
  if (!allowed.includes(status)) {
    throw new AppError(
      'transition_not_allowed',
      `A ticket that is ${ticket.status} cannot become ${status}; it can become ${allowed.join(', ') || 'nothing else'}.`,
      { extensions: { allowed } },
    );
  }
  return { ...ticket, status, ...timesOf(status, now) };
}

/** What is noted when a ticket comes into a status. */
export function timesOf(status: TicketStatus, now: Date): Partial<Ticket> {
  const at = now.toISOString();
  if (status === 'solved') return { solved_at: at, waiting_since: null };
  return status === 'closed' ? { closed_at: at, waiting_since: null } : {};
}

/** The ticket after its customer wrote: what waited for them, or seemed to be solved, is open again. */
export function reopen(ticket: Ticket, now: Date): Ticket {
  return ticket.status === 'pending' || ticket.status === 'solved' ? moveTo(ticket, 'open', now) : ticket;
}

/** @throws {AppError} `ticket_closed`, which says how to go on */
export function assertNotClosed({ id, status }: Ticket): void {
  if (status !== 'closed') return;
  throw new AppError(
    'ticket_closed',
    `The ticket is closed for good. To follow it up, POST /tickets with "follow_up_of": "${id}".`,
    { extensions: { allowed: transitions[status] } },
  );
}
