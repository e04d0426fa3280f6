import { parseEmail } from '../../mail/email-address.ts';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks } from '../account/account-operations.ts';
import { type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { DeferredTasks } from '../account/deferred-tasks.ts';
import { isRecoverable } from '../leaving/deletion.ts';
import type { MailLimits } from '../limits/account-limits.ts';
import type { DeviceCookies } from '../limits/device-cookie.ts';
import type { PasswordSetter } from '../passwords/password-setter.ts';
import type { SignInResult } from './sign-in.ts';

export interface PasswordResetsOptions {
  operations: AccountOperations;
  setter: PasswordSetter;
  store: AccountStore;
  mailLimits: MailLimits;
  deviceCookies: DeviceCookies;
  links: AccountLinks;
  deferred: DeferredTasks;
  linkTtlSeconds: { reset_password: number };
  now: () => Date;
}

/** Password resets through a mailed link. */
export interface PasswordResets {
  /**
   * Mails a link to the owner of the account, if it exists. Resolves before the look-up.
   *
   * @throws {AppError} `too_many_requests`, or `unavailable` if the store or the mail server is unavailable
   */
  requestPasswordReset(
    request: { email: string; locale?: string | undefined },
    origin: Origin,
  ): Promise<void>;
  /**
   * Returns the address of the account whose password the token would set.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`
   */
  inspectPasswordReset(token: string): Promise<{ email: string }>;
  /**
   * Sets the password and marks the address as verified. Ends every session and invalidates every other link.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `validation_failed` for an unacceptable
   *   password, which does not redeem the token
   */
  resetPassword(
    reset: { token: string; newPassword: string; deviceCookie?: string | undefined },
    origin: Origin,
  ): Promise<SignInResult>;
}

export function createPasswordResets(options: PasswordResetsOptions): PasswordResets {
  const { operations, setter, store, links, mailLimits, deviceCookies, now } = options;

  async function mailReset(
    email: string | undefined,
    locale: string | undefined,
    origin: Origin,
  ): Promise<void> {
    const account = email === undefined ? undefined : await store.findByEmail(email);
    await operations.recordEvent('account.password_reset_requested', account?.id ?? null, origin);
    // The owner of an account that waits for its deletion signs in to keep it.
    if (!isRecoverable(account, now()) || !(await mailLimits.allowsMailTo(account.email))) return;
    const link = links.resetPassword(
      await operations.issueToken('reset_password', account.id, account.email),
    );
    const { reset_password: ttlSeconds } = options.linkTtlSeconds;
    await operations.sendMail('reset_password', account, { link, ttlSeconds, locale });
  }

  /** Returns the account of a link. A link is invalid once its account has another address or is disabled. */
  async function inspect(token: string): Promise<Pick<Account, 'id' | 'email' | 'credentialEpoch'>> {
    const { accountId, email } = await operations.inspectToken(token, 'reset_password');
    const account = await store.find(accountId);
    return isRecoverable(account, now()) && account.email === email ? account : rejectLink();
  }

  return {
    async requestPasswordReset({ email, locale }, origin) {
      await mailLimits.admit(origin.address);
      await options.deferred.run(() => mailReset(parseEmail(email), locale, origin));
    },
    inspectPasswordReset: async (token) => ({ email: (await inspect(token)).email }),
    async resetPassword({ token, newPassword, deviceCookie }, origin) {
      const { id: accountId, email, credentialEpoch } = await inspect(token);
      // Before the token is redeemed, because the queue of hashes may be full.
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      await operations.redeemToken(token, 'reset_password');
      const proof = { credentialEpoch, reject: rejectLink };
      const type = 'account.password_reset';
      const account = await setter.set({ accountId, passwordHash, proof, type, provesEmail: true }, origin);
      return { account, deviceCookie: deviceCookies.remember(deviceCookie, account) };
    },
  };
}
