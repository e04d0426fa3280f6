import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import { type CredentialChangeOptions, changeCredentials } from '../credentials/change-credentials.ts';
import { createFactors } from '../factors/factors.ts';
import { createIdentities } from './identities.ts';

export interface ReclaimOptions extends CredentialChangeOptions {
  operations: AccountOperations;
  tokens: AccountTokenStore;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /** Removes an account from the owners of every application and bars it from owning others. */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
  now: () => Date;
}

/**
 * Creates the function that hands an account with an unverified address to the user who has proved control of the
 * mailbox. Anyone may have opened the account, so nothing by which they could get in again remains (account
 * pre-hijacking).
 */
export function createReclaim(
  options: ReclaimOptions,
): (account: Account, origin: Origin) => Promise<Account> {
  const { operations, tokens, now } = options;

  return async function reclaim({ id }, origin) {
    // The address is verified last, so that an interrupted call is repeated as a whole.
    await changeCredentials(options, id, ({ account }) => ({
      account: account.emailVerified
        ? account
        : endSignIns(account, { passwordHash: null, passwordChangedAt: null, profile: {} }, now()),
      factors: createFactors(id),
      identities: createIdentities(id),
    }));
    await tokens.discard(id);
    await options.revokeSessions(id, origin);
    await options.retireOwner(id, origin);
    await options.allowApplications(id);
    const account = await operations.change(id, (stored, at) =>
      endSignIns(stored, { emailVerified: true }, at),
    );
    await operations.recordEvent('account.reclaimed', id, origin);
    return account;
  };
}
