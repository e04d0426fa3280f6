import type { Sighting } from './change.ts';

/** A ticket that staff see changed. */
export function newSighting(ticketId: string, members: Partial<Sighting> = {}): Sighting {
  return { reader: 'staff', resource: 'ticket', id: ticketId, ticketId, isGone: false, ...members };
}
