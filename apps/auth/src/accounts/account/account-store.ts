import type { Role } from '../../values/scopes.ts';
import type { Account, AccountStatus } from './account.ts';

/** One page of a list of accounts. */
export interface AccountPage {
  /** Address of the last account of the previous page; absent for the first page. */
  afterEmail?: string | undefined;
  limit: number;
  role?: Role | undefined;
  status?: AccountStatus | undefined;
  /** Prefix of the address, in lower case. */
  emailPrefix?: string | undefined;
}

/**
 * Store of accounts, shared by many processes. Writes resolve when durable; engine failures reject with
 * `AppError('unavailable')`. Returned accounts are deeply frozen.
 */
export interface AccountStore {
  /**
   * Adds an account; resolves with `false` if its address is in use. Of concurrent inserts of one address, exactly one
   * succeeds.
   */
  insert(account: Account): Promise<boolean>;
  /** Finds the account as last written by any process. One indexed read, because every token refresh calls it. */
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** Lists up to `limit` accounts ordered by address (UTF-8 bytes). An index serves every filter. */
  list(page: AccountPage): Promise<readonly Account[]>;
  /** Returns the accounts whose sign-ins were all ended since an instant, unordered. One indexed read. */
  listSignInsEnded(since: Date): Promise<readonly Account[]>;
  /**
   * Compare-and-set: writes `account` if the stored version is `expectedVersion`. Otherwise writes nothing and resolves
   * with `stale` (another version, or the account was deleted) or `email_taken` (another account has the address).
   * Exactly one of several concurrent calls is `replaced`.
   */
  replace(account: Account, expectedVersion: number): Promise<'replaced' | 'stale' | 'email_taken'>;
  /** Resolves with `false` if no such account existed. */
  remove(id: string): Promise<boolean>;
}
