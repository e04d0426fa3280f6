/** Authorizes programs to register clients (RFC 7591 §1.2, "initial access token"). */
export interface InitialAccessToken {
  /** UUIDv7. */
  id: string;
  /** SHA-256 of the token, base64url. The token itself is shown once. */
  digest: string;
  /** The operator's name for its recipient. */
  name: string;
  /** Number of clients that it can still register. */
  usesLeft: number;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Stores initial access tokens. Safe with many processes. Writes resolve when durable. Failures of the engine reject
 * with `AppError('unavailable')`.
 */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessToken): Promise<void>;
  /** Lists all tokens, ordered by id. */
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
