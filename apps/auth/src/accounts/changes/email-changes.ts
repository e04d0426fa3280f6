import type { FieldError } from '@keydesk/server';
import { parseEmail } from '../../mail/email-address.ts';
import { type Account, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks } from '../account/account-operations.ts';
import { type AccountOperations, rejectInvalid, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { isSignInStillValid } from '../account/credential-epoch.ts';
import type { DeferredTasks } from '../account/deferred-tasks.ts';
import { endDeviceTrust } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { MailLimits } from '../limits/account-limits.ts';
import type { ConfirmPassword } from '../passwords/password-confirmation.ts';

export interface EmailChangesOptions {
  operations: AccountOperations;
  confirm: ConfirmPassword;
  store: AccountStore;
  tokens: AccountTokenStore;
  factors: Pick<FactorStore, 'find' | 'replace'>;
  mailLimits: MailLimits;
  links: AccountLinks;
  background: BackgroundTasks;
  deferred: DeferredTasks;
  linkTtlSeconds: { change_email: number; disown_sign_in: number };
  now: () => Date;
}

export interface EmailChange {
  accountId: string;
  /** As typed by the user. */
  newEmail: string;
  /** Ignored if the account has none; the caller then requires a fresh authentication. */
  currentPassword: string;
}

/** Proof that the user of a sign-in has the mailbox of the new address. */
export interface EmailProof {
  token: string;
  accountId: string;
  /** Credential epoch of the sign-in. */
  credentialEpoch: number;
  signedInAt: Date;
}

export interface EmailChanges {
  /**
   * Mails a link to the new address and a notification to the current one. If the new address belongs to another
   * account, its owner is notified instead of receiving a link. The call resolves before that look-up, so both cases
   * look the same.
   *
   * @throws {AppError} `validation_failed` with a wrong password or an invalid address, `too_many_requests`, or
   *   `unavailable` if the store or the mail server is unavailable
   */
  requestEmailChange(change: EmailChange, origin: Origin): Promise<void>;
  /**
   * Returns the address that the token would set.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, even if the token belongs to another account
   */
  inspectEmailChange(proof: { token: string; accountId: string }): Promise<{ email: string }>;
  /**
   * Sets the address to which the token was mailed, and ends the trust in devices. The user must be signed in to the
   * account, because a link sent to a mistyped address must not give the account to a stranger. The mail to the old
   * address has a link that takes the change back, unless that address was never verified and may be a stranger's.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `conflict` if another account has taken the
   *   address
   */
  confirmEmailChange(proof: EmailProof, origin: Origin): Promise<Account>;
}

export function createEmailChanges(options: EmailChangesOptions): EmailChanges {
  const { operations, store, tokens, links, background, mailLimits } = options;

  async function mailToNewAddress(account: Account, newEmail: string): Promise<void> {
    if (!(await mailLimits.allowsMailTo(newEmail))) return;
    const owner = await store.findByEmail(newEmail);
    if (owner) {
      if (owner.status === 'active')
        await operations.sendMail('address_in_use', owner, { link: links.signIn() });
      return;
    }
    const link = links.changeEmail(await operations.issueToken('change_email', account.id, newEmail));
    const { change_email: ttlSeconds } = options.linkTtlSeconds;
    await operations.sendMail('change_email', { ...account, email: newEmail }, { link, ttlSeconds });
  }

  async function inspect({ token, accountId }: { token: string; accountId: string }) {
    const proof = await operations.inspectToken(token, 'change_email');
    return proof.accountId === accountId ? { email: proof.email } : rejectLink();
  }

  const notices = createChangeNotices(options);

  return {
    inspectEmailChange: inspect,
    async requestEmailChange({ accountId, newEmail: typed, currentPassword }, origin) {
      const account = await operations.get(accountId);
      const otherErrors = validateNewEmail(typed, account.email);
      if (account.passwordHash === null) rejectInvalid(otherErrors);
      else await options.confirm({ account, currentPassword, action: 'change_email', otherErrors }, origin);
      const newEmail = parseEmail(typed) ?? account.email;
      await mailLimits.admit(origin.address);
      await operations.recordEvent('account.email_change_requested', accountId, origin, { to: newEmail });
      await options.deferred.run(() => mailToNewAddress(account, newEmail));
      background.run(() =>
        operations.sendMail('email_change_requested', account, {
          link: links.requestPasswordReset(),
          newEmail,
        }),
      );
    },
    async confirmEmailChange({ token, accountId, credentialEpoch, signedInAt }, origin) {
      const { email: newEmail } = await inspect({ token, accountId });
      const before = await operations.get(accountId);
      await operations.redeemToken(token, 'change_email');
      // Before the change, so that every link that is mailed afterwards is a later one.
      const undoLink = await notices.createUndoLink(before, signedInAt);
      const account = await operations.change(accountId, (stored, now) =>
        isSignInStillValid(stored, credentialEpoch) && stored.email === before.email
          ? updateAccount(stored, { email: newEmail, emailVerified: true }, now)
          : rejectLink(),
      );
      await tokens.discard(accountId, { except: 'disown_sign_in' });
      await endDeviceTrust(options.factors, accountId);
      await operations.recordEvent('account.email_changed', accountId, origin, {
        from: before.email,
        to: newEmail,
      });
      background.run(() => notices.notifyOldAddress(before, newEmail, undoLink));
      return account;
    },
  };
}

/** Creates the parts of the mail to the old address of a changed account. */
function createChangeNotices({ operations, tokens, links, linkTtlSeconds, now }: EmailChangesOptions) {
  return {
    /**
     * Creates the link that takes a change back, with everything that was done since the sign-in that made it. An
     * earlier sign-in that the owner can still disown counts, because the other person may have signed in several times.
     */
    async createUndoLink(
      { id, email, emailVerified }: Account,
      signedInAt: Date,
    ): Promise<string | undefined> {
      if (!emailVerified) return undefined;
      const earliest = await tokens.findEarliestSince(id, now());
      const since = earliest && earliest < signedInAt ? earliest : signedInAt;
      return links.disownSignIn(await operations.issueToken('disown_sign_in', id, email, since));
    },
    async notifyOldAddress(before: Account, newEmail: string, undoLink: string | undefined): Promise<void> {
      const { disown_sign_in: ttlSeconds } = linkTtlSeconds;
      await (undoLink === undefined
        ? operations.sendMail('email_changed', before, { link: links.signIn(), newEmail })
        : operations.sendMail('email_change_undoable', before, { link: undoLink, newEmail, ttlSeconds }));
    },
  };
}

/** Returns the errors that prevent a change from `currentEmail` to `typed`. */
export function validateNewEmail(typed: string, currentEmail: string): readonly FieldError[] {
  const email = parseEmail(typed);
  if (email === undefined) return [{ field: 'email', code: 'invalid', message: 'must be an e-mail address' }];
  if (email === currentEmail)
    return [{ field: 'email', code: 'unchanged', message: 'is already the address of this account' }];
  return [];
}
