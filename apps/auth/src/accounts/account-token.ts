import { createHash, randomBytes } from 'node:crypto';

/** What the owner of a mailbox may do with the token that was mailed there. */
export type TokenPurpose = 'verify_email' | 'reset_password' | 'change_email';

/** A token that is mailed to an address and works once, as it is stored: the token itself is only in the mail. */
export interface AccountToken {
  /** SHA-256 of the token, base64url. With 256 random bits behind it, it needs no salt. */
  digest: string;
  purpose: TokenPurpose;
  accountId: string;
  /** The address that it was mailed to, which is what it proves the possession of. */
  email: string;
  /** From this instant on the token is worth nothing, whether or not it has been purged. */
  expiresAt: Date;
}

const TOKEN_BYTES = 32;

/** A new token of 256 random bits, base64url. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of a token. */
export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
