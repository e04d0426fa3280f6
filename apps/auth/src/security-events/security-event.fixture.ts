import { v7 as uuidv7 } from 'uuid';
import type { SecurityEvent } from './security-event.ts';

export const now = new Date('2026-03-01T12:00:00.123Z');
export const soon = new Date(now.getTime() + 60_000);

/** Creates an event that is due at `now`. */
export function securityEvent(members: Partial<SecurityEvent> = {}): SecurityEvent {
  return {
    id: uuidv7(),
    receiver: uuidv7(),
    type: 'account-purged',
    accountId: uuidv7(),
    occurredAt: now,
    availableAt: now,
    expiresAt: soon,
    rejection: null,
    ...members,
  };
}
