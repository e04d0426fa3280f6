import { AppError } from '@keydesk/server';
import type { ExpiringStore } from '../../artifacts/purge.ts';
import type { Clients } from '../clients.ts';
import type { RegistrationStore } from './registration-store.ts';
import type { RegistrationEvent } from './registrations.ts';

export interface IdleClientsOptions {
  registrations: Pick<RegistrationStore, 'listIdle' | 'remove'>;
  clients: Pick<Clients, 'get' | 'remove'>;
  /** Days after which an unused client is removed; 0: never. */
  idleDays: number;
  /** Called for each removed client; writes the audit record and counts the metric. */
  onRemoved(event: RegistrationEvent): Promise<void>;
}

const ONE_DAY_MS = 86_400_000;

/**
 * Removes idle registered clients. The client is removed before its registration, so that the next run finds an
 * interrupted removal again.
 */
export function expireIdleClients({
  registrations,
  clients,
  idleDays,
  onRemoved,
}: IdleClientsOptions): ExpiringStore {
  async function remove(clientId: string, at: Date): Promise<void> {
    try {
      const client = await clients.get(clientId);
      await clients.remove(clientId);
      await onRemoved({ type: 'client.idle_removed', at, client, by: null, origin: null });
    } catch (err) {
      // Another process or an operator has already removed the client.
      if (!(err instanceof AppError) || err.code !== 'not_found') throw err;
    }
    await registrations.remove(clientId);
  }

  return {
    async purgeExpired(now, limit) {
      if (idleDays === 0) return 0;
      const idle = await registrations.listIdle(new Date(now.getTime() - idleDays * ONE_DAY_MS), limit);
      for (const { clientId } of idle) await remove(clientId, now);
      return idle.length;
    },
  };
}
