import { parseEmail } from '../mail/email-address.ts';
import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountLinks } from './account-links.ts';
import { type AccountSteps, refuseLink } from './account-steps.ts';
import type { AccountStore } from './account-store.ts';
import type { Delivery } from './delivery.ts';
import type { DeviceCookies } from './device-cookie.ts';
import type { MailLimits } from './mail-limits.ts';
import type { PasswordSetter } from './password-setter.ts';
import type { SignedIn } from './sign-in.ts';

export interface PasswordResetsOptions {
  steps: AccountSteps;
  setter: PasswordSetter;
  store: AccountStore;
  mailLimits: MailLimits;
  deviceCookies: DeviceCookies;
  links: AccountLinks;
  delivery: Delivery;
  linkTtlSeconds: { reset_password: number };
}

/** The way back for those who forgot their password. */
export interface PasswordResets {
  /**
   * Mails a link to the owner of the account, if there is one. The call answers before it has looked.
   *
   * @throws {AppError} `too_many_requests`, or `unavailable` when nothing can be stored or no mail be sent
   */
  requestPasswordReset(
    request: { email: string; locale?: string | undefined },
    origin: Origin,
  ): Promise<void>;
  /**
   * Whose password the token would set, for the page that asks for one.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`
   */
  inspectPasswordReset(token: string): Promise<{ email: string }>;
  /**
   * Sets the password, and takes the mailbox for the owner's. Every session ends and every other link is void.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `validation_failed` for a bad password,
   *   which leaves the token as it is
   */
  resetPassword(
    reset: { token: string; newPassword: string; deviceCookie?: string | undefined },
    origin: Origin,
  ): Promise<SignedIn>;
}

export function createPasswordResets(options: PasswordResetsOptions): PasswordResets {
  const { steps, setter, store, links, mailLimits, deviceCookies } = options;

  async function mailReset(
    email: string | undefined,
    locale: string | undefined,
    origin: Origin,
  ): Promise<void> {
    const account = email === undefined ? undefined : await store.findByEmail(email);
    await steps.record('account.password_reset_requested', account?.id ?? null, origin);
    if (account?.status !== 'active' || !(await mailLimits.allowsMailTo(account.email))) return;
    const link = links.resetPassword(await steps.issue('reset_password', account.id, account.email));
    const { reset_password: ttlSeconds } = options.linkTtlSeconds;
    await steps.mail('reset_password', account, { link, ttlSeconds, locale });
  }

  /** A link is void once its account has another address or is disabled. */
  async function inspect(token: string): Promise<Pick<Account, 'id' | 'email' | 'credentialEpoch'>> {
    const { accountId, email } = await steps.inspect(token, 'reset_password');
    const account = await store.find(accountId);
    return account?.status === 'active' && account.email === email ? account : refuseLink();
  }

  return {
    async requestPasswordReset({ email, locale }, origin) {
      await mailLimits.admit(origin.address);
      await options.delivery.begin(() => mailReset(parseEmail(email), locale, origin));
    },
    inspectPasswordReset: async (token) => ({ email: (await inspect(token)).email }),
    async resetPassword({ token, newPassword, deviceCookie }, origin) {
      const { id: accountId, email, credentialEpoch } = await inspect(token);
      // Before the token is used up: hashing may be refused for want of room.
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      await steps.redeem(token, 'reset_password');
      const proof = { credentialEpoch, refuse: refuseLink };
      const type = 'account.password_reset';
      const account = await setter.set({ accountId, passwordHash, proof, type, provesEmail: true }, origin);
      return { account, deviceCookie: deviceCookies.remember(deviceCookie, email) };
    },
  };
}
