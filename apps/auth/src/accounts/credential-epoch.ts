import { type Account, type AccountChanges, revise } from './account.ts';

/**
 * Next version of an account, in which every sign-in so far has ended. The epoch is raised by the same write that makes
 * the change, so no moment lies between the two.
 */
export function endSignIns(account: Account, changes: AccountChanges, now: Date): Account {
  return revise(account, { ...changes, credentialEpoch: account.credentialEpoch + 1 }, now);
}

/** Next version of an account with a new password. */
export function withPassword(account: Account, passwordHash: string, now: Date): Account {
  return endSignIns(account, { passwordHash, passwordChangedAt: now }, now);
}

/** Whether a sign-in that was made at a credential epoch still opens the account. */
export function isSignInStillValid(
  account: Account | undefined,
  credentialEpoch: number,
): account is Account {
  return account?.status === 'active' && account.credentialEpoch === credentialEpoch;
}
