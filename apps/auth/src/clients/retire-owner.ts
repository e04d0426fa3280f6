import { AppError } from '@keydesk/http';
import type { AccountStore } from '../accounts/account-store.ts';
import type { ClientStore } from './client-store.ts';
import type { Clients } from './clients.ts';
import type { Retired } from './owner-changes.ts';

export interface RetireOwnerDeps {
  store: Pick<ClientStore, 'closeOwner'>;
  clients: Pick<Clients, 'list' | 'listCoOwned' | 'retire'>;
  accounts: Pick<AccountStore, 'find'>;
}

/**
 * Takes an account that may not sign in any more out of the owners of every client; resolves with the clients that
 * changed. The account knows their secrets: a client that is left without an active owner is disabled.
 */
export async function retireOwner(
  accountId: string,
  { store, clients, accounts }: RetireOwnerDeps,
): Promise<readonly Retired[]> {
  // First, so that it becomes an owner of no more clients.
  await store.closeOwner(accountId);
  const isActive = async (id: string) => (await accounts.find(id))?.status === 'active';
  const retired: Retired[] = [];
  // Owned clients first: a client can turn from owned to co-owned meanwhile, but not the other way.
  for (const list of [clients.list, clients.listCoOwned])
    for await (const { id } of list(accountId)) {
      const each = await clients.retire(id, accountId, isActive).catch(asRemoved);
      if (each && each.outcome !== 'unchanged') retired.push(each);
    }
  return retired;
}

/** Removes the logos of the clients that an account still owns: images that a person uploaded go with the account. */
export async function removeLogosOf(
  accountId: string,
  clients: Pick<Clients, 'list' | 'setLogo'>,
): Promise<void> {
  for await (const { id, logoDigest } of clients.list(accountId))
    if (logoDigest !== null) await clients.setLogo(id, null).catch(asRemoved);
}

/** A client that was removed since it was listed has no owners. */
function asRemoved(err: unknown): undefined {
  if (!(err instanceof AppError) || err.code !== 'not_found') throw err;
}
