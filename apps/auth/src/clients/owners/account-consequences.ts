import { AppError } from '@keydesk/server';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { ExpiringStore } from '../../artifacts/purge.ts';
import type { ClientStore } from '../client-store.ts';
import type { Clients } from '../clients.ts';
import { deleteOldInvitations, retentionStart } from './co-ownership.ts';
import type { Retired } from './owner-changes.ts';

interface RetireOwnerDeps {
  store: Pick<ClientStore, 'closeOwner'>;
  clients: Pick<Clients, 'list' | 'listCoOwned' | 'retire'>;
  accounts: Pick<AccountStore, 'find'>;
}

/**
 * Removes a disabled account from the owners of all its clients; returns the changed clients. A client without another
 * active owner is disabled, because the account may have its secrets.
 */
export async function retireOwner(
  accountId: string,
  { store, clients, accounts }: RetireOwnerDeps,
): Promise<readonly Retired[]> {
  // First, so that the account gets no further clients.
  await store.closeOwner(accountId);
  const isActive = async (id: string) => (await accounts.find(id))?.status === 'active';
  const retired: Retired[] = [];
  // Owned clients first: a client can turn from owned to co-owned in the meantime, but not the other way.
  for (const list of [clients.list, clients.listCoOwned])
    for await (const { id } of list(accountId)) {
      const each = await clients.retire(id, accountId, isActive).catch(ignoreRemoved);
      if (each && each.outcome !== 'unchanged') retired.push(each);
    }
  return retired;
}

/** Removes the logos of an account's clients, because images that a user uploaded are deleted with the account. */
export async function removeOwnedLogos(
  accountId: string,
  clients: Pick<Clients, 'list' | 'setLogo'>,
): Promise<void> {
  for await (const { id, logoDigest } of clients.list(accountId))
    if (logoDigest !== null) await clients.setLogo(id, null).catch(ignoreRemoved);
}

/** Ignores a client that was removed after it was listed. */
function ignoreRemoved(err: unknown): undefined {
  if (!(err instanceof AppError) || err.code !== 'not_found') throw err;
}

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

/**
 * Ends the verification of all clients of an account that changes its name, because consent pages show the name of the
 * owner.
 *
 * @returns whether any client was verified
 */
export async function unverifyClients(
  owner: string,
  clients: Pick<Clients, 'list' | 'setVerified'>,
): Promise<boolean> {
  let wasVerified = false;
  for await (const { id, isVerified } of clients.list(owner)) {
    if (!isVerified) continue;
    await clients.setVerified(id, false);
    wasVerified = true;
  }
  return wasVerified;
}
