import type { Expiring } from '../provider/purge.ts';
import type { ClientStore } from './client-store.ts';
import { dropOldInvitations, keptSince } from './co-ownership.ts';

/**
 * Deletes expired invitations with their addresses after the retention period. A client that changes at the same time
 * is left to the next run.
 */
export function expireInvitations(
  store: Pick<ClientStore, 'listWithExpiredInvitations' | 'replace'>,
): Expiring {
  return {
    async purgeExpired(now, limit) {
      const clients = await store.listWithExpiredInvitations(keptSince(now), limit);
      for (const client of clients)
        await store.replace(
          { ...dropOldInvitations(client, now), version: client.version + 1 },
          client.version,
        );
      return clients.length;
    },
  };
}
