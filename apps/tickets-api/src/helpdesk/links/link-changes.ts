import { AppError } from '@keydesk/errors';
import type { TicketChange } from '../commit/to-commit.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

/** Returns the ids of a ticket and of its linked tickets, because its removal changes them all. */
export async function findLinked(store: Pick<TicketStore, 'find'>, id: string): Promise<string[]> {
  const links = (await store.find(id))?.ticket.links ?? [];
  return [id, ...links.map(({ ticket_id }) => ticket_id)];
}

/** Removes the links of other tickets to a removed ticket. */
export async function toUnlinked(
  store: Pick<TicketStore, 'find'>,
  { id, links }: Ticket,
): Promise<TicketChange[]> {
  const records = await Promise.all(links.map(({ ticket_id }) => store.find(ticket_id)));
  return records
    .filter((record) => record !== undefined)
    .map((before) => ({ before, after: withoutLink(before.ticket, id) }));
}

/** Returns the ticket without its link to another ticket. */
export function withoutLink(ticket: Ticket, otherId: string): Ticket {
  return { ...ticket, links: ticket.links.filter(({ ticket_id }) => ticket_id !== otherId) };
}

const MAX_LINKS = 100;

/** Adds a link to a ticket. @throws {AppError} `conflict` when the ticket already has 100 links */
export function withLink(ticket: Ticket, link: Ticket['links'][number]): Ticket {
  if (ticket.links.length >= MAX_LINKS) {
    throw new AppError('conflict', `A ticket cannot have more than ${MAX_LINKS} links.`);
  }
  return { ...ticket, links: [...ticket.links, link] };
}
