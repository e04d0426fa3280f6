import type { ExpiringStore } from '../../artifacts/purge.ts';
import type { ClientStore } from '../client-store.ts';
import { deleteOldInvitations, retentionStart } from './co-ownership.ts';

/**
 * Deletes expired invitations with their addresses after the retention period. A client that changes at the same time
 * is left to the next run.
 */
export function expireInvitations(
  store: Pick<ClientStore, 'listWithExpiredInvitations' | 'replace'>,
): ExpiringStore {
  return {
    async purgeExpired(now, limit) {
      const clients = await store.listWithExpiredInvitations(retentionStart(now), limit);
      for (const client of clients)
        await store.replace(
          { ...deleteOldInvitations(client, now), version: client.version + 1 },
          client.version,
        );
      return clients.length;
    },
  };
}
