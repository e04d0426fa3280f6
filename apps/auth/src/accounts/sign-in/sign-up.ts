import { AppError, type FieldError } from '@keydesk/server';
import { parseEmail } from '../../mail/email-address.ts';
import { type Account, createAccount, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks } from '../account/account-operations.ts';
import { type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { DeferredTasks } from '../account/deferred-tasks.ts';
import type { MailLimits } from '../limits/account-limits.ts';
import { toQueueKeys } from '../limits/sign-in-limits.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import type { PasswordPolicy } from '../passwords/password-policy.ts';
import { type AccountInput, parseAccountInput, validateAccountInput } from './account-input.ts';

export interface SignUpOptions {
  operations: AccountOperations;
  store: AccountStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  mailLimits: MailLimits;
  links: AccountLinks;
  deferred: DeferredTasks;
  isSignUpOpen: boolean;
  linkTtlSeconds: { verify_email: number };
  now: () => Date;
  newId: () => string;
}

/** Without a password, the mailed link creates a passkey. */
export type SignUpRequest = AccountInput;

/** Self-service sign-up and verification of addresses. */
export interface SignUp {
  readonly isSignUpOpen: boolean;
  /** Returns the errors of the members that are present; has no side effects. */
  validate(application: Partial<AccountInput>): readonly FieldError[];
  /**
   * Requests a new account. Only a mail discloses the outcome: a link that verifies the address, or a notification to
   * the owner of an existing account. The call resolves in the same way, after the same work, in both cases.
   *
   * @throws {AppError} `forbidden` if sign-up is closed, `validation_failed` with every error, `too_many_requests`, or
   *   `unavailable` if the queue of hashes is full or the store or the mail server is unavailable
   */
  signUp(request: SignUpRequest, origin: Origin): Promise<void>;
  /**
   * Sends the verification link again if the account exists and is unverified. Resolves before the look-up.
   *
   * @throws {AppError} `too_many_requests`, or `unavailable` if the mail server is
   */
  requestVerification(request: { email: string }, origin: Origin): Promise<void>;
  /** Sends the link again if the address is unverified. @throws {AppError} `too_many_requests` */
  resendVerification(accountId: string, origin: Origin): Promise<void>;
  /**
   * Verifies the address to which the token was mailed. The user must be signed in to that account. Otherwise an
   * attacker could sign up with a stranger's address and a password of their own, and wait until the stranger follows
   * the link.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`
   */
  verifyEmail(proof: { token: string; accountId: string }, origin: Origin): Promise<Account>;
}

export function createSignUp(options: SignUpOptions): SignUp {
  const { operations, store, links, deferred, mailLimits } = options;
  const mailVerification = createVerificationMail(options);

  async function notifyOwner(account: Account, locale: string | undefined): Promise<void> {
    if (account.status === 'disabled' || !(await mailLimits.allowsMailTo(account.email))) return;
    await operations.sendMail('address_in_use', account, { link: links.signIn(), locale });
  }

  async function openAccount(newAccount: Account, origin: Origin): Promise<void> {
    if (await store.insert(newAccount)) {
      await operations.recordEvent('account.signed_up', newAccount.id, origin);
      await mailVerification(newAccount);
      return;
    }
    const owner = await store.findByEmail(newAccount.email);
    if (!owner) return;
    await operations.recordEvent('account.sign_up_repeated', owner.id, origin);
    await (owner.emailVerified ? notifyOwner(owner, newAccount.profile.locale) : mailVerification(owner));
  }

  return {
    isSignUpOpen: options.isSignUpOpen,
    validate: (application) => validateAccountInput(application, options.policy),
    async signUp(request, origin) {
      if (!options.isSignUpOpen)
        throw new AppError('forbidden', 'Sign-up is closed; ask an administrator for an account.');
      const { email, profile } = parseAccountInput(request, options.policy);
      await mailLimits.admit(origin.address);
      const queueKeys = toQueueKeys({ ...origin, email });
      const { password } = request;
      const passwordHash =
        password === undefined ? null : await options.passwords.hashNew(password, queueKeys);
      const account = { id: options.newId(), email, emailVerified: false, profile, passwordHash };
      await deferred.run(() =>
        openAccount(createAccount({ ...account, role: 'customer' }, options.now()), origin),
      );
    },
    async requestVerification({ email }, origin) {
      await mailLimits.admit(origin.address);
      await deferred.run(async () => {
        const account = await store.findByEmail(parseEmail(email) ?? '');
        if (account?.status === 'active' && !account.emailVerified) await mailVerification(account);
      });
    },
    async resendVerification(accountId, origin) {
      await mailLimits.admit(origin.address);
      const account = await operations.get(accountId);
      if (!account.emailVerified) await deferred.run(() => mailVerification(account));
    },
    async verifyEmail({ token, accountId }, origin) {
      const proof = await operations.inspectToken(token, 'verify_email');
      if (proof.accountId !== accountId) rejectLink();
      await operations.redeemToken(token, 'verify_email');
      const account = await operations.change(accountId, (stored, now) =>
        stored.email === proof.email ? updateAccount(stored, { emailVerified: true }, now) : rejectLink(),
      );
      await operations.recordEvent('account.email_verified', accountId, origin);
      return account;
    },
  };
}

type VerificationMailOptions = Pick<SignUpOptions, 'operations' | 'mailLimits' | 'links' | 'linkTtlSeconds'>;

/** Mails the link that verifies the address of an account. */
export type MailVerification = (account: Account, kind?: 'create_passkey' | 'verify_email') => Promise<void>;

/** Creates the mail with the link that verifies an address. */
export function createVerificationMail(options: VerificationMailOptions): MailVerification {
  const { operations, links, mailLimits, linkTtlSeconds } = options;
  // Without a password, the owner could not sign in to verify the address.
  const kindFor = ({ passwordHash }: Account) => (passwordHash === null ? 'create_passkey' : 'verify_email');
  return async function mailVerification(account, kind = kindFor(account)) {
    if (!(await mailLimits.allowsMailTo(account.email))) return;
    const token = await operations.issueToken(kind, account.id, account.email);
    const link = kind === 'create_passkey' ? links.createPasskey(token) : links.verifyEmail(token);
    await operations.sendMail(kind, account, { link, ttlSeconds: linkTtlSeconds.verify_email });
  };
}
