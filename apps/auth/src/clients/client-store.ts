import type { Client } from './client.ts';
import type { ClientLogo } from './client-logo.ts';

export interface ClientPage {
  owner?: string | undefined;
  /** Only clients that this account co-owns. */
  coOwner?: string | undefined;
  afterId?: string | undefined;
  limit: number;
}

/** An account that becomes an owner or co-owner. */
export interface AdmittedOwner {
  account: string;
  /** Clients that the account may own, this one included; without it, any number. */
  limit?: number | undefined;
}

/**
 * Port of the clients domain to a database. Trust requests, co-owners and invitations are parts of their client: a
 * decision on one is a `replace`, so that exactly one racer decides it, together with what it grants, and none decides
 * about a client that was removed.
 * Safe under many processes; writes resolve when durable; failures of the engine reject with `AppError('unavailable')`.
 * Clients handed out are deeply frozen; one that has not changed may be the same object each time.
 */
export interface ClientStore {
  /**
   * Adds a client whose id is not in use.
   *
   * @throws {Error} when it is.
   */
  insert(client: Client): Promise<void>;
  /**
   * Adds a client that has an owner, unless that one has `limit` clients already or is closed: `false`, with nothing
   * written. However many add at once, from whichever process, an owner never has more.
   */
  insertWithin(client: Client & { owner: string }, limit: number): Promise<boolean>;
  /**
   * Lets an account become owner or co-owner of no more clients: once it resolves, `list` has all that there will be.
   * An owner can still become a co-owner of the same client.
   */
  closeOwner(owner: string): Promise<void>;
  /** Undoes `closeOwner`. */
  reopenOwner(owner: string): Promise<void>;
  /** The client as last written by any process. Called on every token request: one indexed read. */
  find(id: string): Promise<Client | undefined>;
  /** Up to `limit` clients, of one owner, one co-owner or of all, in order of their id, behind `afterId`. */
  list(page: ClientPage): Promise<readonly Client[]>;
  /** Up to `limit` clients with a pending trust request, in order of their id, behind `afterId`. One indexed read. */
  listPending(page: Pick<ClientPage, 'afterId' | 'limit'>): Promise<readonly Client[]>;
  /** Up to `limit` clients whose first invitation expires before an instant. One indexed read. */
  listInvitedUntil(before: Date, limit: number): Promise<readonly Client[]>;
  /**
   * Compare-and-set: writes `client` if the stored version is `expectedVersion`; exactly one racer gets `true`. A use
   * of a secret that was recorded since `client` was read is kept. In the same transaction `logo` replaces the client's
   * logo, `null` removes it, and `undefined` leaves it.
   */
  replace(client: Client, expectedVersion: number, logo?: ClientLogo | null): Promise<boolean>;
  /**
   * `replace` that makes an account an owner or co-owner. `closed`: the account is, see `closeOwner`. `full`: it owns as
   * many as its limit allows. `stale`: another version is stored. Nothing is written then. However many replace at once,
   * from whichever process, an account never owns more than its limit.
   */
  replaceFor(
    client: Client,
    expectedVersion: number,
    admitted: AdmittedOwner,
  ): Promise<'replaced' | 'stale' | 'closed' | 'full'>;
  /** The logo of a client, apart from `find`, which token requests call. */
  findLogo(clientId: string): Promise<ClientLogo | undefined>;
  /** Compare-and-set: removes the client and its logo if the stored version is `expectedVersion`; else, or without one, `false`. */
  remove(id: string, expectedVersion: number): Promise<boolean>;
  /** Records the use of a secret without changing the client's version; an earlier time never replaces a later one. */
  touchSecret(clientId: string, secretId: string, at: Date): Promise<void>;
}
