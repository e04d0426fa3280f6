import type { AccountToken, TokenPurpose } from './account-token.ts';

/**
 * What mailed tokens need of a database. Safe under many processes; writes resolve when durable; failures of the
 * engine reject with `AppError('unavailable')`.
 */
export interface AccountTokenStore {
  insert(token: AccountToken): Promise<void>;
  /** The token of that digest and purpose that has not expired at `now`; it stays as it is. */
  find(digest: string, purpose: TokenPurpose, now: Date): Promise<AccountToken | undefined>;
  /** Takes such a token out of the store; exactly one racer gets it, all others, then and later, `undefined`. */
  redeem(digest: string, purpose: TokenPurpose, now: Date): Promise<AccountToken | undefined>;
  /** Deletes every token of an account. */
  discard(accountId: string): Promise<void>;
  /** Deletes up to `limit` tokens that have expired at `now`; resolves with how many. Safe in several processes. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
