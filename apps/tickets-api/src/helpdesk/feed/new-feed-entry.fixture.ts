import type { FeedEntry } from './change.ts';

/** Creates a feed entry of a ticket for staff. */
export function newFeedEntry(ticketId: string, members: Partial<FeedEntry> = {}): FeedEntry {
  return { reader: 'staff', resource: 'ticket', id: ticketId, ticketId, isDeleted: false, ...members };
}
