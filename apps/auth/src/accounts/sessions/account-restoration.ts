import { AppError } from '@keydesk/server';
import { type Account, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountToken } from '../account/account-token-store.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import { type CredentialChangeOptions, changeCredentials } from '../credentials/change-credentials.ts';
import type { Credentials } from '../credentials/credential-store.ts';
import { isRecoverable } from '../leaving/deletion.ts';
import { withoutAddedSince } from './added-credentials.ts';

export interface AccountRestorationOptions extends CredentialChangeOptions {
  operations: AccountOperations;
  store: AccountStore;
  linkTtlSeconds: { disown_sign_in: number };
  now: () => Date;
}

/** Restoration of an account to the owner of the mailbox to which a link was mailed. */
export interface AccountRestoration {
  /**
   * Returns the account of a link and its address.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `conflict` with the code `in_use` while another
   *   account has verified the address
   */
  inspect(token: string): Promise<{ account: Account; email: string }>;
  /**
   * Ends all sign-ins, removes the password and all credentials added since the sign-in of the link, restores the
   * address and cancels a deletion: in one transaction, which can be repeated. Does not redeem the link. Another
   * account that has the address without having verified it gets another one.
   *
   * @throws {AppError} as `inspect`
   */
  restore(token: string): Promise<{ before: Credentials; after: Credentials }>;
}

/** Origin of the changes of other accounts. */
const server: Origin = { address: 'server', actor: 'server' };

export function createAccountRestoration(options: AccountRestorationOptions): AccountRestoration {
  const { operations, store, linkTtlSeconds, now } = options;

  /** Finds another account with this address. @throws {AppError} `conflict` if it has verified it */
  async function findUnverifiedHolder(email: string, accountId: string): Promise<Account | undefined> {
    const holder = await store.findByEmail(email);
    if (!holder || holder.id === accountId) return undefined;
    if (holder.emailVerified) throw toAddressInUseError();
    return holder;
  }

  /**
   * Takes the address from an account that never verified it, whose owner keeps the account. Otherwise a thief could
   * occupy the address by a sign-up.
   */
  async function displace({ id, email: from }: Account): Promise<void> {
    const email = `${id}@displaced.invalid`;
    let isDisplaced = false;
    await operations.change(id, (stored, at) => {
      // Its owner may have verified or changed the address in between.
      isDisplaced = stored.email === from && !stored.emailVerified;
      return isDisplaced ? updateAccount(stored, { email }, at) : stored;
    });
    if (!isDisplaced) return;
    await operations.recordEvent('account.email_changed', id, server, { from, to: email });
  }

  async function inspect(token: string) {
    const redeemable = await operations.inspectToken(token, 'disown_sign_in');
    const account = await store.find(redeemable.accountId);
    if (!isRecoverable(account, now())) return rejectLink();
    const holder = await findUnverifiedHolder(redeemable.email, account.id);
    return { account, email: redeemable.email, holder, since: findSince(redeemable, linkTtlSeconds) };
  }

  return {
    inspect,
    async restore(token) {
      const { accountId } = await operations.inspectToken(token, 'disown_sign_in');
      return changeCredentials(options, accountId, async (stored) => {
        // At each try, because another account may have taken the address in between.
        const { email, holder, since } = await inspect(token);
        if (holder) await displace(holder);
        return withoutAddedSince({ ...stored, account: toRestored(stored.account, email, now()) }, since);
      });
    },
  };
}

function toRestored(stored: Account, email: string, at: Date): Account {
  if (!isRecoverable(stored, at)) return rejectLink();
  const restored = { email, emailVerified: true, passwordHash: null } as const;
  return endSignIns(stored, { ...restored, status: 'active', deletionDueAt: null }, at);
}

/** Returns the instant since which everything is undone. A token of version 0.9 has only the time of its creation. */
function findSince(
  { since, expiresAt }: AccountToken,
  { disown_sign_in: ttlSeconds }: AccountRestorationOptions['linkTtlSeconds'],
): Date {
  return since ?? new Date(expiresAt.getTime() - ttlSeconds * 1_000);
}

function toAddressInUseError(): AppError {
  return new AppError('conflict', 'Another account has verified this address; change its address first.', {
    errors: [{ field: 'email', code: 'in_use', message: 'belongs to another account' }],
  });
}
