import type { Account } from '../account.ts';
import type { Origin } from '../account-event.ts';
import { type AccountLinks, type AccountOperations, rejectLink } from '../account-operations.ts';
import type { AccountStore } from '../account-store.ts';
import type { AccountTokenStore } from '../account-token-store.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { endSignIns } from '../credential-epoch.ts';

export interface DisownedSignInsOptions {
  operations: AccountOperations;
  store: AccountStore;
  tokens: AccountTokenStore;
  links: Pick<AccountLinks, 'resetPassword'>;
  background: Pick<BackgroundTasks, 'run'>;
  linkTtlSeconds: { reset_password: number };
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

/** Answer "this was not me" to the mail about a sign-in. */
export interface DisownedSignIns {
  /** Returns the address of the account. @throws {AppError} `invalid_request` with the code `link_invalid` */
  inspectDisowning(token: string): Promise<{ email: string }>;
  /**
   * Ends every session and removes the password, which is known to another person, then mails a link to choose
   * another one. The link of the first mail lives for days, so it does not set a password itself.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`
   */
  disownSignIn(
    disowning: { token: string; locale?: string | undefined },
    origin: Origin,
  ): Promise<{ email: string }>;
}

export function createDisownedSignIns(options: DisownedSignInsOptions): DisownedSignIns {
  const { operations, store, tokens, links } = options;

  /** Returns the account of a link, which is invalid once the account has another address or is disabled. */
  async function inspect(token: string): Promise<Account> {
    const { accountId, email } = await operations.inspectToken(token, 'disown_sign_in');
    const account = await store.find(accountId);
    return account?.status === 'active' && account.email === email ? account : rejectLink();
  }

  /** Not limited: this mail is the only way back, and the redeemed link allows it once. */
  async function mailReset(account: Account, locale: string | undefined): Promise<void> {
    const token = await operations.issueToken('reset_password', account.id, account.email);
    const { reset_password: ttlSeconds } = options.linkTtlSeconds;
    const link = links.resetPassword(token);
    await operations.sendMail('reset_password', account, { link, ttlSeconds, locale });
  }

  return {
    inspectDisowning: async (token) => ({ email: (await inspect(token)).email }),
    async disownSignIn({ token, locale }, origin) {
      const { id, email } = await inspect(token);
      await operations.redeemToken(token, 'disown_sign_in');
      const account = await operations.change(id, (stored, now) =>
        stored.status === 'active' && stored.email === email
          ? endSignIns(stored, { passwordHash: null }, now)
          : rejectLink(),
      );
      await operations.recordEvent('account.sign_in_disowned', id, origin);
      await tokens.discard(id);
      await options.revokeSessions(id, origin);
      options.background.run(() => mailReset(account, locale));
      return { email };
    },
  };
}
