import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountLinks, type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import { changeFactors } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Factors } from '../factors/factors.ts';
import { createIdentities, updateIdentities } from '../identities/identities.ts';
import type { IdentityStore } from '../identities/identity-store.ts';

export interface DisownedSignInsOptions {
  operations: AccountOperations;
  store: AccountStore;
  tokens: AccountTokenStore;
  factors: Pick<FactorStore, 'find' | 'replace'>;
  storage: { identities: Pick<IdentityStore, 'find' | 'replace'> };
  links: Pick<AccountLinks, 'resetPassword'>;
  background: Pick<BackgroundTasks, 'run'>;
  linkTtlSeconds: { reset_password: number; disown_sign_in: number };
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

/** Answer "this was not me" to the mail about a sign-in. */
export interface DisownedSignIns {
  /** Returns the address of the account. @throws {AppError} `invalid_request` with the code `link_invalid` */
  inspectDisowning(token: string): Promise<{ email: string }>;
  /**
   * Ends every session, removes the password, which is known to another person, and mails a link to choose another one.
   * Also removes every passkey, authenticator app and identity added since that sign-in. The link of the first mail
   * lives for days, so it does not set a password itself.
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

  /** Removes the factors that the other person may have added, which would let them in again. */
  async function removeFactorsSince(since: Date, accountId: string, origin: Origin): Promise<void> {
    const changed = await changeFactors(options.factors, accountId, (stored) =>
      withoutFactorsSince(stored, since),
    );
    if (!changed) return;
    const { before, after } = changed;
    if (after.totp !== before.totp) await operations.recordEvent('account.totp_removed', accountId, origin);
    for (const _ of before.passkeys.slice(after.passkeys.length))
      await operations.recordEvent('account.passkey_removed', accountId, origin);
  }

  /** Unlinks the identities at providers that the other person may have linked. */
  async function unlinkIdentitiesSince(since: Date, accountId: string, origin: Origin): Promise<void> {
    const { identities } = options.storage;
    for (;;) {
      const stored = (await identities.find(accountId)) ?? createIdentities(accountId);
      const later = stored.identities.filter(({ linkedAt }) => linkedAt >= since);
      if (later.length === 0) return;
      const earlier = stored.identities.filter((each) => !later.includes(each));
      if ((await identities.replace(updateIdentities(stored, earlier), stored.version)) !== 'replaced')
        continue;
      for (const { providerId: provider } of later)
        await operations.recordEvent('account.identity_unlinked', accountId, origin, { provider });
      return;
    }
  }

  return {
    inspectDisowning: async (token) => ({ email: (await inspect(token)).email }),
    async disownSignIn({ token, locale }, origin) {
      const { id, email } = await inspect(token);
      const { expiresAt } = await operations.redeemToken(token, 'disown_sign_in');
      const account = await operations.change(id, (stored, now) =>
        stored.status === 'active' && stored.email === email
          ? endSignIns(stored, { passwordHash: null }, now)
          : rejectLink(),
      );
      await operations.recordEvent('account.sign_in_disowned', id, origin);
      await tokens.discard(id);
      await options.revokeSessions(id, origin);
      const signedInAt = new Date(expiresAt.getTime() - options.linkTtlSeconds.disown_sign_in * 1_000);
      await removeFactorsSince(signedInAt, id, origin);
      await unlinkIdentitiesSince(signedInAt, id, origin);
      options.background.run(() => mailReset(account, locale));
      return { email };
    },
  };
}

/** Returns the changes that remove the factors added since, if any. */
function withoutFactorsSince({ passkeys, totp }: Factors, since: Date) {
  const earlier = passkeys.filter(({ createdAt }) => createdAt < since);
  const isAppLater = totp !== null && totp.createdAt >= since;
  if (earlier.length === passkeys.length && !isAppLater) return undefined;
  return { passkeys: earlier, ...(isAppLater && { totp: null, recoveryCodes: [] }) };
}
