import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { IdentityStore } from './identity-store.ts';

export interface ReclaimOptions {
  operations: AccountOperations;
  tokens: AccountTokenStore;
  storage: { identities: Pick<IdentityStore, 'remove'>; factors: Pick<FactorStore, 'remove'> };
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /** Removes an account from the owners of every application and bars it from owning others. */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
}

/**
 * Creates the function that hands an account with an unverified address to the user who has proved control of the
 * mailbox. Anyone may have opened the account, so nothing by which they could get in again remains (account
 * pre-hijacking).
 */
export function createReclaim(
  options: ReclaimOptions,
): (account: Account, origin: Origin) => Promise<Account> {
  const { operations, tokens, storage } = options;

  async function removeCredentials(accountId: string): Promise<void> {
    await storage.factors.remove(accountId);
    await storage.identities.remove(accountId);
  }

  return async function reclaim({ id }, origin) {
    // The address is verified last, so that an interrupted call is repeated as a whole.
    await operations.change(id, (stored, now) =>
      stored.emailVerified
        ? stored
        : endSignIns(stored, { passwordHash: null, passwordChangedAt: null, profile: {} }, now),
    );
    await removeCredentials(id);
    await tokens.discard(id);
    await options.revokeSessions(id, origin);
    await options.retireOwner(id, origin);
    await options.allowApplications(id);
    const account = await operations.change(id, (stored, now) =>
      endSignIns(stored, { emailVerified: true }, now),
    );
    // Once more, because a sign-in could have added a credential in between.
    await removeCredentials(id);
    await operations.recordEvent('account.reclaimed', id, origin);
    return account;
  };
}
