import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountLinks, type AccountOperations, rejectLink } from '../account/account-operations.ts';
import { type AccountTokenStore, digestOfToken } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { type AccountRestorationOptions, createAccountRestoration } from './account-restoration.ts';
import { recordRemovals } from './added-credentials.ts';

export interface DisownedSignInsOptions extends AccountRestorationOptions {
  operations: AccountOperations;
  tokens: Pick<AccountTokenStore, 'redeemOverLater'>;
  links: Pick<AccountLinks, 'resetPassword' | 'signIn'>;
  background: Pick<BackgroundTasks, 'run'>;
  linkTtlSeconds: { reset_password: number; disown_sign_in: number };
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

/** Answer "This was not me" to the mail about a sign-in or about a change of the address. */
export interface DisownedSignIns {
  /**
   * Returns the address to which the link was mailed, and whether the account has another one by now.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `conflict` with the code `in_use` while another
   *   account has verified the address
   */
  inspectDisowning(token: string): Promise<DisownedAddress>;
  /**
   * Ends every session, removes the password, which is known to another person, and mails a link to choose another one.
   * Also removes every passkey, authenticator app, recovery code and identity added since that sign-in, restores the
   * address to which the link was mailed, and cancels a deletion. The link of the first mail lives for days, so it does
   * not set a password itself.
   *
   * Later links become invalid, earlier ones stay valid: a link mailed to a thief's address must not outrank the owner's.
   * An interrupted call can be repeated. Exactly one of several concurrent calls succeeds.
   *
   * @throws {AppError} as `inspectDisowning`
   */
  disownSignIn(
    disowning: { token: string; locale?: string | undefined },
    origin: Origin,
  ): Promise<DisownedAddress>;
}

export interface DisownedAddress {
  email: string;
  isAddressChanged: boolean;
}

export function createDisownedSignIns(options: DisownedSignInsOptions): DisownedSignIns {
  const { operations, tokens, links } = options;
  const restoration = createAccountRestoration(options);

  /** Not limited: this mail is the only way back, and the redeemed link allows it once. */
  async function mailReset(account: Account, before: string, locale: string | undefined): Promise<void> {
    const token = await operations.issueToken('reset_password', account.id, account.email);
    const { reset_password: ttlSeconds } = options.linkTtlSeconds;
    const isAddressChanged = before !== account.email;
    const kind = isAddressChanged ? 'email_restored' : 'reset_password';
    await operations.sendMail(kind, account, { link: links.resetPassword(token), ttlSeconds, locale });
    if (!isAddressChanged) return;
    const ofThief = { ...account, email: before };
    await operations.sendMail('email_change_undone', ofThief, { link: links.signIn() });
  }

  return {
    async inspectDisowning(token) {
      const { account, email } = await restoration.inspect(token);
      return { email, isAddressChanged: account.email !== email };
    },
    async disownSignIn({ token, locale }, origin) {
      const changed = await restoration.restore(token);
      const { account } = changed.after;
      const { id, email } = account;
      const { email: from } = changed.before.account;
      const isAddressChanged = from !== email;
      await operations.recordEvent('account.sign_in_disowned', id, origin);
      if (isAddressChanged)
        await operations.recordEvent('account.email_restored', id, origin, { from, to: email });
      await recordRemovals(operations, changed, origin);
      await options.revokeSessions(id, origin);
      // Last, so that the link of a request that was interrupted can be used again.
      const digest = digestOfToken(token);
      if (!(await tokens.redeemOverLater(digest, 'disown_sign_in', options.now()))) return rejectLink();
      options.background.run(() => mailReset(account, from, locale));
      return { email, isAddressChanged };
    },
  };
}
