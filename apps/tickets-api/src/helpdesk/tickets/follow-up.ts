import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { TicketChange } from '../commit/to-commit.ts';
import { withLink } from '../links/with-link.ts';
import type { Ticket } from './ticket.ts';

type Link = Ticket['links'][number];

/** Returns the link between a ticket and its follow-up. */
export function toLink(ticketId: string): Link {
  return { type: 'related', ticket_id: ticketId };
}

/**
 * Adds the link to its follow-up to a closed ticket; nothing else of the ticket changes.
 *
 * @throws {AppError} `conflict` when the ticket already has 100 links
 */
export function toFollowedUp(before: TicketRecord, followUpId: string): TicketChange {
  return { before, after: withLink(before.ticket, toLink(followUpId)) };
}
