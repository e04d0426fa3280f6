import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Deed } from '../commit/to-commit.ts';
import { withLink } from '../links/with-link.ts';
import type { Ticket } from './ticket.ts';

type Link = Ticket['links'][number];

/** How a ticket and the one that follows it up point at each other. */
export function toLink(ticketId: string): Link {
  return { type: 'related', ticket_id: ticketId };
}

/**
 * What happens to a closed ticket when another takes it up again: nothing but that it points there.
 *
 * @throws {AppError} `conflict` when that was done too often
 */
export function toFollowedUp(before: TicketRecord, followUpId: string): Deed {
  return { before, after: withLink(before.ticket, toLink(followUpId)) };
}
