import type { ClientStore } from '../clients/client-store.ts';
import type { SecurityEvent } from './security-event.ts';
import type { SecurityEventStore } from './security-event-store.ts';

export interface SecurityEventsOptions {
  store: Pick<SecurityEventStore, 'append'>;
  clients: Pick<ClientStore, 'listResourceServers'>;
  now: () => Date;
  /** Creates ids in the order of their creation (UUIDv7). */
  newId: () => string;
  /** Days after which an event expires, even if a receiver has not acknowledged it. */
  retentionDays: number;
}

/** An event to send; default of `availableAt`: now. */
export type SecurityEventDraft = Pick<SecurityEvent, 'type' | 'accountId'> &
  Partial<Pick<SecurityEvent, 'availableAt'>>;

/** Write side of the security events. */
export interface SecurityEvents {
  /** Queues an event for each receiver, which are all resource servers. Resolves when it is durable. */
  send(draft: SecurityEventDraft): Promise<void>;
}

const ONE_DAY_MS = 86_400_000;

export function createSecurityEvents(options: SecurityEventsOptions): SecurityEvents {
  const { store, clients, now, newId, retentionDays } = options;
  return {
    async send({ type, accountId, availableAt }) {
      const occurredAt = now();
      const available = availableAt ?? occurredAt;
      const expiresAt = new Date(available.getTime() + retentionDays * ONE_DAY_MS);
      const members = { type, accountId, occurredAt, availableAt: available, expiresAt, rejection: null };
      const receivers = await clients.listResourceServers();
      // One event each, because an acknowledgement is final (RFC 8936 §2.1) and `aud` names one receiver.
      if (receivers.length > 0)
        await store.append(receivers.map((receiver) => ({ id: newId(), receiver, ...members })));
    },
  };
}
