import type { Factors } from './factors.ts';

/**
 * Store of factors, one document for each account, shared by many processes. Writes resolve when durable; engine
 * failures reject with `AppError('unavailable')`. Returned factors are deeply frozen.
 */
export interface FactorStore {
  /** Finds the factors as last written by any process. */
  find(accountId: string): Promise<Factors | undefined>;
  /** Finds the factors that contain the passkey with this credential id. */
  findByPasskey(credentialId: string): Promise<Factors | undefined>;
  /**
   * Compare-and-set: writes `factors` if the stored version is `expectedVersion`, which is 0 if nothing is stored.
   * Otherwise writes nothing and resolves with `stale`, or `passkey_taken` if another account has one of the passkeys.
   * Exactly one of several concurrent calls is `replaced`.
   */
  replace(factors: Factors, expectedVersion: number): Promise<'replaced' | 'stale' | 'passkey_taken'>;
  /** Deletes the factors of an account. Resolves with `false` if nothing was stored. */
  remove(accountId: string): Promise<boolean>;
}
