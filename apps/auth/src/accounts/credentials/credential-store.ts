import type { Account } from '../account/account.ts';
import type { Factors } from '../factors/factors.ts';
import type { Identities } from '../identities/identities.ts';

/** All documents with credentials of an account. */
export interface Credentials {
  account: Account;
  factors: Factors;
  identities: Identities;
}

/** Store of the credentials of an account as a whole. Failures of the engine reject with `AppError('unavailable')`. */
export interface CredentialStore {
  /**
   * Compare-and-set across the documents of an account: writes the next version of all three if each of them has the
   * version before (0 if nothing is stored). Otherwise, or if another account has the address, writes nothing and resolves
   * with `stale`. Exactly one of several concurrent calls is `replaced`. `next` may remove credentials, but not add any.
   */
  replaceAll(next: Credentials): Promise<'replaced' | 'stale'>;
}
