import type { Ticket } from './ticket.ts';

/** The people, by id, who see a ticket as customers: who asks and who is copied; nobody once it is deleted. */
export function readersOf({ requester, cc, deleted_at }: Ticket): readonly string[] {
  if (deleted_at !== null) return [];
  return [...new Set([...(requester ? [requester.id] : []), ...cc.map(({ id }) => id)])];
}
