import type { Role } from '../clients/client.ts';
import type { Account, AccountStatus } from './account.ts';

/** One page of a list of accounts. */
export interface AccountPage {
  /** The address of the last account of the page before; absent for the first page. */
  afterEmail?: string | undefined;
  limit: number;
  role?: Role | undefined;
  status?: AccountStatus | undefined;
  /** What the address begins with, in lower case. */
  emailPrefix?: string | undefined;
}

/**
 * What the accounts domain needs of a database. Safe under many processes; writes resolve when durable; failures of
 * the engine reject with `AppError('unavailable')`. Accounts handed out are deeply frozen.
 */
export interface AccountStore {
  /** Adds an account; `false` when its address is in use. Of several that race for an address exactly one gets it. */
  insert(account: Account): Promise<boolean>;
  /** The account as last written by any process. Called on every refresh of a token: one indexed read. */
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** Up to `limit` accounts in order of their address, by UTF-8 bytes; every filter is served by an index. */
  list(page: AccountPage): Promise<readonly Account[]>;
  /**
   * Compare-and-set: writes `account` if the stored version is `expectedVersion`. `stale`: it is not, or the account
   * is gone. `email_taken`: another account has the address. Nothing is written then; exactly one racer is `replaced`.
   */
  replace(account: Account, expectedVersion: number): Promise<'replaced' | 'stale' | 'email_taken'>;
  /** `false` when there was none. */
  remove(id: string): Promise<boolean>;
}
