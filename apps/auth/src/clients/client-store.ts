import type { Client } from './client.ts';
import type { ClientLogo } from './logo/client-logo.ts';

export interface ClientPage {
  owner?: string | undefined;
  /** Only clients that this account co-owns. */
  coOwner?: string | undefined;
  afterId?: string | undefined;
  limit: number;
}

/** An account that becomes an owner or co-owner of a client. */
export interface AdmittedOwner {
  account: string;
  /** Clients that the account may own, this one included; without it, any number. */
  limit?: number | undefined;
}

/**
 * Stores clients. Trust requests, co-owners and invitations are members of their client: a decision on one is a
 * `replace`, so exactly one concurrent writer decides it, together with what it grants, and a removed client cannot be
 * decided about.
 *
 * Safe with many processes. Writes resolve when durable. Failures of the engine reject with `AppError('unavailable')`.
 * Returned clients are deeply frozen; an unchanged client may be the same object each time.
 */
export interface ClientStore {
  /**
   * Adds a client whose id is not in use.
   *
   * @throws {Error} if the id is in use
   */
  insert(client: Client): Promise<void>;
  /**
   * Adds a client with an owner. Returns `false` and writes nothing if the owner is closed or has `limit` clients.
   * Concurrent calls in any number of processes never exceed the limit.
   */
  insertWithinLimit(client: Client & { owner: string }, limit: number): Promise<boolean>;
  /**
   * Prevents an account from becoming owner or co-owner of further clients. Once it resolves, `list` returns all
   * clients that the account will ever have. An owner can still become a co-owner of the same client.
   */
  closeOwner(owner: string): Promise<void>;
  /** Undoes `closeOwner`. */
  reopenOwner(owner: string): Promise<void>;
  /** Returns the client as last written by any process. One indexed read, because every token request calls it. */
  find(id: string): Promise<Client | undefined>;
  /** Lists up to `limit` clients after `afterId`, ordered by id: all, or those of one owner or co-owner. */
  list(page: ClientPage): Promise<readonly Client[]>;
  /** Lists up to `limit` clients with a pending trust request after `afterId`, ordered by id. One indexed read. */
  listPending(page: Pick<ClientPage, 'afterId' | 'limit'>): Promise<readonly Client[]>;
  /** Returns the ids of all clients of type `resource-server`, in order. One indexed read. */
  listResourceServers(): Promise<readonly string[]>;
  /** Returns the ids of the disabled clients that were changed since an instant. One indexed read. */
  listDisabled(since: Date): Promise<readonly string[]>;
  /** Lists up to `limit` clients whose first invitation expires before an instant. One indexed read. */
  listWithExpiredInvitations(before: Date, limit: number): Promise<readonly Client[]>;
  /**
   * Compare-and-set: writes `client` if the stored version is `expectedVersion`; exactly one concurrent call returns
   * `true`. A use of a secret that was recorded after `client` was read is preserved. In the same transaction, `logo`
   * replaces the client's logo, `null` removes it, and `undefined` keeps it.
   */
  replace(client: Client, expectedVersion: number, logo?: ClientLogo | null): Promise<boolean>;
  /**
   * Does the same as `replace`, and makes an account an owner or co-owner. Writes nothing and returns `closed` if the
   * account is closed (see `closeOwner`), `full` if it owns as many clients as its limit allows, or `stale` if another
   * version is stored. Concurrent calls in any number of processes never exceed the limit.
   */
  replaceAndAdmit(
    client: Client,
    expectedVersion: number,
    admitted: AdmittedOwner,
  ): Promise<'replaced' | 'stale' | 'closed' | 'full'>;
  /** Returns the logo of a client; `find` does not load it. */
  findLogo(clientId: string): Promise<ClientLogo | undefined>;
  /** Compare-and-set: removes the client and its logo if the stored version is `expectedVersion`; otherwise returns `false`. */
  remove(id: string, expectedVersion: number): Promise<boolean>;
  /** Records the use of a secret without changing the client's version; an earlier time never replaces a later one. */
  recordSecretUse(clientId: string, secretId: string, at: Date): Promise<void>;
}
