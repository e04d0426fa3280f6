import type { EventRecord, StoredEvent } from './audit-event.ts';

/** What an event tells, but for who did it and when. */
export interface Told extends Pick<StoredEvent, 'type' | 'changes'> {
  reply_id?: string;
  publicChanges?: EventRecord['publicChanges'];
}
