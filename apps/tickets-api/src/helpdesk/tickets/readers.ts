import type { Ticket } from './ticket.ts';

/** Returns the ids of the requester and the people in copy, who see the ticket as customers; none for a deleted ticket. */
export function listReaders({ requester, cc, deleted_at }: Ticket): readonly string[] {
  if (deleted_at !== null) return [];
  return [...new Set([...(requester ? [requester.id] : []), ...cc.map(({ id }) => id)])];
}
