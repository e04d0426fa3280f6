import type { EventRecord, TicketEvent } from './ticket-event.ts';

/** What an event tells, but for who did it and when. */
export interface Told extends Pick<TicketEvent, 'type' | 'changes'> {
  reply_id?: string;
  publicChanges?: EventRecord['publicChanges'];
}
