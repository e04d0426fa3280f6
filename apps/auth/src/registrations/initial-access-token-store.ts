import type { InitialAccessToken } from './initial-access-token.ts';

/**
 * What initial access tokens need of a database. Safe under many processes; writes resolve when durable; failures of
 * the engine reject with `AppError('unavailable')`.
 */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessToken): Promise<void>;
  /** Every token that is there, in order of its id. */
  list(): Promise<readonly InitialAccessToken[]>;
  /** The token if it has not expired at `now`, with or without uses left. */
  find(digest: string, now: Date): Promise<InitialAccessToken | undefined>;
  /** Takes one use of a token that has not expired; of those who race for the last one, exactly one gets `true`. */
  takeUse(digest: string, now: Date): Promise<boolean>;
  /** `false` when there was none. */
  remove(id: string): Promise<boolean>;
  /** Deletes up to `limit` tokens that have expired at `now`; resolves with how many. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
