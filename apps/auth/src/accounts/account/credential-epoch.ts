import { type Role, roles } from '../../values/scopes.ts';
import { type Account, type AccountChanges, updateAccount } from './account.ts';

/**
 * Returns the next version of an account, at which all earlier sign-ins are invalid. One write makes the change and
 * increments the epoch, so the two cannot be observed separately.
 */
export function endSignIns(account: Account, changes: AccountChanges, now: Date): Account {
  const credentialEpoch = account.credentialEpoch + 1;
  return updateAccount(account, { ...changes, credentialEpoch, signInsEndedAt: now }, now);
}

/** Returns the next version of an account, with a new password. */
export function withPassword(account: Account, passwordHash: string, now: Date): Account {
  return endSignIns(account, { passwordHash, passwordChangedAt: now }, now);
}

/**
 * Returns the next version of an account, with another role. A higher one ends all sign-ins, because a role can require
 * a second factor: a refresh token must not yield more than its sign-in did.
 */
export function withRole(account: Account, role: Role, now: Date): Account {
  const isHigher = roles.indexOf(role) > roles.indexOf(account.role);
  return (isHigher ? endSignIns : updateAccount)(account, { role }, now);
}

/** Whether the owner of an account may sign in; a scheduled deletion leaves only the choice to keep the account. */
export function maySignIn(account: Account | undefined): account is Account {
  return account?.status === 'active' || account?.status === 'pending_deletion';
}

/** An account whose owner has asked to delete it. */
export type LeavingAccount = Account & { deletionDueAt: Date };

/** Whether a sign-in made at this credential epoch leaves only the choice to keep the account. */
export function isLeaving(account: Account | undefined, credentialEpoch: number): account is LeavingAccount {
  return (
    account?.status === 'pending_deletion' &&
    account.deletionDueAt !== null &&
    account.credentialEpoch === credentialEpoch
  );
}

/** Whether a sign-in made at this credential epoch has not ended, although it may only leave that choice. */
export function isCurrentSignIn(account: Account | undefined, credentialEpoch: number): account is Account {
  return isSignInStillValid(account, credentialEpoch) || isLeaving(account, credentialEpoch);
}

/** Whether a sign-in made at this credential epoch is still valid for the account. */
export function isSignInStillValid(
  account: Account | undefined,
  credentialEpoch: number,
): account is Account {
  return account?.status === 'active' && account.credentialEpoch === credentialEpoch;
}
