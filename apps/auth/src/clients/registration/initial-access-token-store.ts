import type { InitialAccessToken } from './initial-access-token.ts';

/**
 * Stores initial access tokens. Safe with many processes. Writes resolve when durable. Failures of the engine reject
 * with `AppError('unavailable')`.
 */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessToken): Promise<void>;
  /** Lists all tokens in order of their ids. */
  list(): Promise<readonly InitialAccessToken[]>;
  /** Finds a token that is not expired at `now`, with or without uses left. */
  find(digest: string, now: Date): Promise<InitialAccessToken | undefined>;
  /** Takes one use of an unexpired token; exactly one of several concurrent calls gets the last use. */
  takeUse(digest: string, now: Date): Promise<boolean>;
  /** @returns whether the token existed */
  remove(id: string): Promise<boolean>;
  /** Deletes up to `limit` tokens that are expired at `now`; returns their number. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
