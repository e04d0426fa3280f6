import type { FieldError } from '@keydesk/http';
import { parseEmail } from '../mail/email-address.ts';
import { type Account, revise } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountLinks } from './account-links.ts';
import { type AccountSteps, refuseLink } from './account-steps.ts';
import type { AccountStore } from './account-store.ts';
import type { AccountTokenStore } from './account-token-store.ts';
import type { Background } from './background.ts';
import type { Confirm } from './confirmation.ts';
import type { Delivery } from './delivery.ts';
import type { MailLimits } from './mail-limits.ts';

export interface EmailChangesOptions {
  steps: AccountSteps;
  confirm: Confirm;
  store: AccountStore;
  tokens: AccountTokenStore;
  mailLimits: MailLimits;
  links: AccountLinks;
  background: Background;
  delivery: Delivery;
  linkTtlSeconds: { change_email: number };
}

export interface EmailChanges {
  /**
   * Mails a link to the new address and word of it to the old one. When the new address is another account's, its
   * owner is told instead; the call answers the same, and before it has looked.
   *
   * @throws {AppError} `validation_failed` naming a wrong password and a bad address, `too_many_requests`, or
   *   `unavailable` when nothing can be stored or no mail be sent
   */
  requestEmailChange(
    change: { accountId: string; newEmail: string; currentPassword: string },
    origin: Origin,
  ): Promise<void>;
  /**
   * The address that the token would give the account, for the page that asks.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, for anybody else's token as well
   */
  inspectEmailChange(proof: { token: string; accountId: string }): Promise<{ email: string }>;
  /**
   * Makes the address that the token was mailed to the account's. It counts only for whoever is signed in to the
   * account: a link in a mistyped address must not give the account to a stranger.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `conflict` when the address was taken
   *   meanwhile
   */
  confirmEmailChange(proof: { token: string; accountId: string }, origin: Origin): Promise<Account>;
}

export function createEmailChanges(options: EmailChangesOptions): EmailChanges {
  const { steps, store, tokens, links, background, mailLimits } = options;

  async function mailToNewAddress(account: Account, newEmail: string): Promise<void> {
    if (!(await mailLimits.allowsMailTo(newEmail))) return;
    const owner = await store.findByEmail(newEmail);
    if (owner) {
      if (owner.status === 'active') await steps.mail('address_in_use', owner, { link: links.signIn() });
      return;
    }
    const link = links.changeEmail(await steps.issue('change_email', account.id, newEmail));
    const { change_email: ttlSeconds } = options.linkTtlSeconds;
    await steps.mail('change_email', { ...account, email: newEmail }, { link, ttlSeconds });
  }

  async function inspect({ token, accountId }: { token: string; accountId: string }) {
    const proof = await steps.inspect(token, 'change_email');
    return proof.accountId === accountId ? { email: proof.email } : refuseLink();
  }

  return {
    inspectEmailChange: inspect,
    async requestEmailChange({ accountId, newEmail: typed, currentPassword }, origin) {
      const account = await steps.get(accountId);
      const faults = faultsOfNewEmail(typed, account.email);
      await options.confirm({ account, currentPassword, action: 'change_email', faults }, origin);
      const newEmail = parseEmail(typed) ?? account.email;
      await mailLimits.admit(origin.address);
      await steps.record('account.email_change_requested', accountId, origin, { to: newEmail });
      await options.delivery.begin(() => mailToNewAddress(account, newEmail));
      background.run(() =>
        steps.mail('email_change_requested', account, { link: links.requestPasswordReset(), newEmail }),
      );
    },
    async confirmEmailChange({ token, accountId }, origin) {
      const { email: newEmail } = await inspect({ token, accountId });
      const before = await steps.get(accountId);
      await steps.redeem(token, 'change_email');
      const account = await steps.change(accountId, (stored, now) =>
        revise(stored, { email: newEmail, emailVerified: true }, now),
      );
      await tokens.discard(accountId);
      await steps.record('account.email_changed', accountId, origin, { from: before.email, to: newEmail });
      background.run(() => steps.mail('email_changed', before, { link: links.signIn(), newEmail }));
      return account;
    },
  };
}

/** Faults that keep `typed` from becoming the address of the account that has `currentEmail`. */
export function faultsOfNewEmail(typed: string, currentEmail: string): readonly FieldError[] {
  const email = parseEmail(typed);
  if (email === undefined) return [{ field: 'email', code: 'invalid', message: 'must be an e-mail address' }];
  if (email === currentEmail)
    return [{ field: 'email', code: 'unchanged', message: 'is the address of this account already' }];
  return [];
}
