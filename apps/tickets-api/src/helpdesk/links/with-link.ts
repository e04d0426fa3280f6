import { AppError } from '@keydesk/errors';
import type { Ticket } from '../tickets/ticket.ts';

const MAX_LINKS = 100;

/** Adds a link to a ticket. @throws {AppError} `conflict` when the ticket already has 100 links */
export function withLink(ticket: Ticket, link: Ticket['links'][number]): Ticket {
  if (ticket.links.length >= MAX_LINKS) {
    throw new AppError('conflict', `A ticket cannot have more than ${MAX_LINKS} links.`);
  }
  return { ...ticket, links: [...ticket.links, link] };
}
