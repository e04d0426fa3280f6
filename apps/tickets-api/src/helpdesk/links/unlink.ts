import type { Deed } from '../commit/to-commit.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

/** Ids of the ticket and of those linked to it, which all change when it is removed. */
export async function findLinked(store: Pick<TicketStore, 'find'>, id: string): Promise<string[]> {
  const links = (await store.find(id))?.ticket.links ?? [];
  return [id, ...links.map(({ ticket_id }) => ticket_id)];
}

/** What happens to the tickets that are linked to one that goes: they no longer point there. */
export async function toUnlinked(store: Pick<TicketStore, 'find'>, { id, links }: Ticket): Promise<Deed[]> {
  const records = await Promise.all(links.map(({ ticket_id }) => store.find(ticket_id)));
  return records
    .filter((record) => record !== undefined)
    .map((before) => ({ before, after: withoutLink(before.ticket, id) }));
}

/** The ticket without its link to another. */
export function withoutLink(ticket: Ticket, otherId: string): Ticket {
  return { ...ticket, links: ticket.links.filter(({ ticket_id }) => ticket_id !== otherId) };
}
