import type { Identities } from './identities.ts';

/**
 * Store of identities, one document for each account, shared by many processes. Writes resolve when durable; engine
 * failures reject with `AppError('unavailable')`. Returned identities are deeply frozen.
 */
export interface IdentityStore {
  /** Finds the identities of an account as last written by any process. */
  find(accountId: string): Promise<Identities | undefined>;
  /** Finds the document that contains the identity with this issuer and subject. */
  findByIdentity(issuer: string, subject: string): Promise<Identities | undefined>;
  /**
   * Compare-and-set: writes `identities` if the stored version is `expectedVersion`, which is 0 if nothing is stored.
   * Otherwise writes nothing and resolves with `stale`, or `identity_taken` if another account has one of them. Exactly
   * one of several concurrent calls is `replaced`, and an identity never belongs to two accounts.
   */
  replace(identities: Identities, expectedVersion: number): Promise<'replaced' | 'stale' | 'identity_taken'>;
  /** Deletes the identities of an account. Resolves with `false` if nothing was stored. */
  remove(accountId: string): Promise<boolean>;
}
