import { AppError } from '@keydesk/server';
import type { Client } from './client.ts';
import type { AdmittedOwner, ClientStore } from './client-store.ts';
import type { ClientLogo } from './logo/client-logo.ts';

export interface ClientChangesOptions {
  store: ClientStore;
  now: () => Date;
  /**
   * Rejects clients that the caller may not read or change. A change calls it with the version that it replaces, so
   * that a caller who has lost access in the meantime is rejected.
   */
  requireAccess?: ((client: Client) => void) | undefined;
}

/** Reads and changes one client. All methods reject with `AppError('not_found')` if the client does not exist. */
export interface ClientChanges {
  get(id: string): Promise<Client>;
  /**
   * Reads, changes and writes the client; starts again if another process has changed it in between.
   *
   * @param admitted the account that becomes an owner or co-owner
   * @throws {AppError} `conflict` with the code `account_closed` or `quota_reached` if that account may not become one
   */
  change(
    id: string,
    toNext: (client: Client, now: Date) => Client,
    admitted?: AdmittedOwner,
  ): Promise<Client>;
  /** Does the same as `change`, and replaces or removes the client's logo in the same write. */
  changeLogo(
    id: string,
    toNext: (client: Client, now: Date) => Client,
    logo: ClientLogo | null,
  ): Promise<Client>;
}

export function createClientChanges({ store, now, requireAccess }: ClientChangesOptions): ClientChanges {
  async function get(id: string): Promise<Client> {
    const client = await store.find(id);
    if (!client) throw notFound(id);
    requireAccess?.(client);
    return client;
  }

  async function changeBy(
    write: (next: Client, version: number) => Promise<boolean>,
    id: string,
    toNext: (client: Client, now: Date) => Client,
  ): Promise<Client> {
    for (;;) {
      const client = await get(id);
      const at = now();
      const next = { ...toNext(client, at), updatedAt: at, version: client.version + 1 };
      if (await write(next, client.version)) return next;
    }
  }

  async function replace(next: Client, version: number, admitted?: AdmittedOwner): Promise<boolean> {
    if (!admitted) return store.replace(next, version);
    const outcome = await store.replaceAndAdmit(next, version, admitted);
    if (outcome === 'closed' || outcome === 'full') throw notAdmitted(outcome);
    return outcome === 'replaced';
  }

  return {
    get,
    change: (id, toNext, admitted) =>
      changeBy((next, version) => replace(next, version, admitted), id, toNext),
    changeLogo: (id, toNext, logo) =>
      changeBy((next, version) => store.replace(next, version, logo), id, toNext),
  };
}

function notAdmitted(outcome: 'closed' | 'full'): AppError {
  const [code, message] =
    outcome === 'closed'
      ? ['account_closed', 'This account is disabled or removed; choose another account.']
      : ['quota_reached', 'This account owns the maximum number of applications; remove one first.'];
  return new AppError('conflict', message, { errors: [{ field: 'email', code, message }] });
}

function notFound(id: string): AppError {
  return new AppError('not_found', `Client ${id} does not exist.`);
}
