import { AppError } from '@keydesk/server';
import { type Account, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountToken, AccountTokenStore } from '../account/account-token-store.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import { isRecoverable } from '../leaving/deletion.ts';

export interface AccountRestorationOptions {
  operations: AccountOperations;
  store: AccountStore;
  tokens: AccountTokenStore;
  now: () => Date;
}

/** Restoration of an account to the owner of the mailbox to which a link was mailed. */
export interface AccountRestoration {
  /**
   * Returns the account of a link and its address, and another account that has the address without having verified it.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `conflict` with the code `in_use` while another
   *   account has verified the address
   */
  inspect(token: string): Promise<{ account: Account; email: string; holder: Account | undefined }>;
  /**
   * Redeems a link: ends all sign-ins, removes the password, restores the address and cancels a deletion. Returns the
   * address before. The link stays valid if another account has the address.
   *
   * @throws {AppError} as `inspect`
   */
  restore(token: string): Promise<{ account: Account; before: string; redeemed: AccountToken }>;
}

/** Origin of the changes of other accounts. */
const server: Origin = { address: 'server', actor: 'server' };

export function createAccountRestoration(options: AccountRestorationOptions): AccountRestoration {
  const { operations, store, tokens, now } = options;

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
    const { accountId, email } = await operations.inspectToken(token, 'disown_sign_in');
    const account = await store.find(accountId);
    if (!isRecoverable(account, now())) return rejectLink();
    return { account, email, holder: await findUnverifiedHolder(email, accountId) };
  }

  async function change({ accountId, email }: AccountToken): Promise<{ account: Account; before: string }> {
    let before = email;
    const account = await operations.change(accountId, (stored, at) => {
      if (!isRecoverable(stored, at)) return rejectLink();
      before = stored.email;
      const restored = { email, emailVerified: true, passwordHash: null } as const;
      return endSignIns(stored, { ...restored, status: 'active', deletionDueAt: null }, at);
    });
    return { account, before };
  }

  return {
    inspect,
    async restore(token) {
      const { holder } = await inspect(token);
      if (holder) await displace(holder);
      const redeemed = await operations.redeemToken(token, 'disown_sign_in');
      try {
        return { ...(await change(redeemed)), redeemed };
      } catch (err) {
        if (!(err instanceof AppError) || err.code !== 'conflict') throw err;
        // Another account has taken the address in between.
        await tokens.insert(redeemed);
        throw toAddressInUseError();
      }
    },
  };
}

function toAddressInUseError(): AppError {
  return new AppError('conflict', 'Another account has verified this address; change its address first.', {
    errors: [{ field: 'email', code: 'in_use', message: 'belongs to another account' }],
  });
}
