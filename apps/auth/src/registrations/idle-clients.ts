import { AppError } from '@keydesk/http';
import type { Clients } from '../clients/clients.ts';
import type { Expiring } from '../provider/purge.ts';
import type { RegistrationEvent } from './registration-event.ts';
import type { RegistrationStore } from './registration-store.ts';

export interface IdleClientsOptions {
  registrations: Pick<RegistrationStore, 'listIdle' | 'remove'>;
  clients: Pick<Clients, 'get' | 'remove'>;
  /** How long a client may lie unused; 0: for ever. */
  idleDays: number;
  /** Told of each client that was removed, for the audit record and a metric. */
  onRemoved(event: RegistrationEvent): Promise<void>;
}

const ONE_DAY_MS = 86_400_000;

/**
 * The registered clients that nobody uses, as what expires. The client goes before its registration, so that what is
 * cut short is found again.
 */
export function expireIdleClients({
  registrations,
  clients,
  idleDays,
  onRemoved,
}: IdleClientsOptions): Expiring {
  async function remove(clientId: string, at: Date): Promise<void> {
    try {
      const client = await clients.get(clientId);
      await clients.remove(clientId);
      await onRemoved({ type: 'client.idle_removed', at, client, by: null, origin: null });
    } catch (err) {
      // Another process, or an operator, was faster.
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
