import type { AccountToken, TokenPurpose } from './account-token.ts';

/**
 * Store of mailed tokens, shared by many processes. Writes resolve when durable; engine failures reject with
 * `AppError('unavailable')`.
 */
export interface AccountTokenStore {
  insert(token: AccountToken): Promise<void>;
  /** Finds the token of that digest and purpose, unless it has expired at `now`. Does not redeem it. */
  find(digest: string, purpose: TokenPurpose, now: Date): Promise<AccountToken | undefined>;
  /** Removes and returns such a token. Exactly one of several concurrent calls receives it, all others `undefined`. */
  redeem(digest: string, purpose: TokenPurpose, now: Date): Promise<AccountToken | undefined>;
  /** Deletes every token of an account. */
  discard(accountId: string): Promise<void>;
  /**
   * Deletes up to `limit` tokens that have expired at `now` and resolves with their number. Safe in several processes.
   */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
