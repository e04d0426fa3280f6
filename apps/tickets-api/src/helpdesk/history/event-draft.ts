import type { EventRecord, StoredEvent } from './audit-event.ts';

/** An event without its author and time. */
export interface EventDraft extends Pick<StoredEvent, 'type' | 'changes'> {
  reply_id?: string;
  publicChanges?: EventRecord['publicChanges'];
}
