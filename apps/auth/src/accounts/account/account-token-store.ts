import { createHash, randomBytes } from 'node:crypto';

/** Action that a mailed token authorizes. */
export type TokenPurpose =
  | 'verify_email'
  | 'create_passkey'
  | 'reset_password'
  | 'change_email'
  | 'disown_sign_in';

/** Stored form of a single-use token. The token itself appears only in the mail. */
export interface AccountToken {
  /** SHA-256 of the token, base64url. It needs no salt, because the token has 256 random bits. */
  digest: string;
  purpose: TokenPurpose;
  accountId: string;
  /** The address that it was mailed to; the token proves control of that mailbox. */
  email: string;
  /** The instant since which a `disown_sign_in` token undoes what was done; `undefined` for other purposes. */
  since?: Date | undefined;
  /** The token is invalid from this instant on, even if it has not been purged. */
  expiresAt: Date;
}

const TOKEN_BYTES = 32;

/** Creates a token of 256 random bits, base64url. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the SHA-256 digest under which a token is stored. */
export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

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
  /** Returns the earliest `since` of the tokens of an account that have not expired at `now`. */
  findEarliestSince(accountId: string, now: Date): Promise<Date | undefined>;
  /**
   * Redeems a token as `redeem` does, and in the same transaction deletes other tokens of its account. Those of its
   * purpose that expire earlier stay.
   */
  redeemOverLater(digest: string, purpose: TokenPurpose, now: Date): Promise<AccountToken | undefined>;
  /** Deletes every token of an account, except for those of one purpose. */
  discard(accountId: string, options?: { except?: TokenPurpose }): Promise<void>;
  /**
   * Deletes up to `limit` tokens that have expired at `now` and resolves with their number. Safe in several processes.
   */
  purgeExpired(now: Date, limit: number): Promise<number>;
}
