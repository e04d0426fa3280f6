import { AppError, type FieldError } from '@keydesk/http';
import { parseEmail } from '../mail/email-address.ts';
import { type Account, createAccount, revise } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountLinks } from './account-links.ts';
import { type AccountSteps, refuseLink } from './account-steps.ts';
import type { AccountStore } from './account-store.ts';
import { type Application, faultsOfApplication, readApplication } from './application.ts';
import type { Delivery } from './delivery.ts';
import type { MailLimits } from './mail-limits.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { holdersOf } from './sign-in-limits.ts';

export interface SignUpOptions {
  steps: AccountSteps;
  store: AccountStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  mailLimits: MailLimits;
  links: AccountLinks;
  delivery: Delivery;
  isSignUpOpen: boolean;
  linkTtlSeconds: { verify_email: number };
  clock: () => Date;
  newId: () => string;
}

export type SignUpRequest = Application & { password: string };

/** How people come by an account. */
export interface SignUp {
  readonly isSignUpOpen: boolean;
  /** Every fault of the members that are present; has no effect. */
  faultsOf(application: Partial<Application>): readonly FieldError[];
  /**
   * Takes an application for an account. What becomes of it is told by mail only: to the applicant a link that
   * verifies the address, to the owner of an existing account that somebody tried. The call answers the same, and
   * after the same work, in both cases.
   *
   * @throws {AppError} `forbidden` when sign-up is closed, `validation_failed` naming every fault,
   *   `too_many_requests`, or `unavailable` when too many passwords wait to be hashed, nothing can be stored or no mail
   *   can be sent
   */
  signUp(request: SignUpRequest, origin: Origin): Promise<void>;
  /**
   * Sends the link once more to the owner of an account that waits for it. The call answers before it has looked.
   *
   * @throws {AppError} `too_many_requests`, or `unavailable` when no mail can be sent
   */
  requestVerification(request: { email: string }, origin: Origin): Promise<void>;
  /** Sends the link once more, if the address is not verified yet. @throws {AppError} `too_many_requests` */
  resendVerification(accountId: string, origin: Origin): Promise<void>;
  /**
   * Verifies the address that the token was mailed to. It counts only for whoever is signed in to that account:
   * otherwise anybody could open an account with a stranger's address, know its password, and wait until the
   * stranger follows the link.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`
   */
  verifyEmail(proof: { token: string; accountId: string }, origin: Origin): Promise<Account>;
}

export function createSignUp(options: SignUpOptions): SignUp {
  const { steps, store, links, delivery, mailLimits } = options;

  async function mailVerification(account: Account): Promise<void> {
    if (!(await mailLimits.allowsMailTo(account.email))) return;
    const link = links.verifyEmail(await steps.issue('verify_email', account.id, account.email));
    await steps.mail('verify_email', account, { link, ttlSeconds: options.linkTtlSeconds.verify_email });
  }

  async function tellOwner(account: Account, locale: string | undefined): Promise<void> {
    if (account.status === 'disabled' || !(await mailLimits.allowsMailTo(account.email))) return;
    await steps.mail('address_in_use', account, { link: links.signIn(), locale });
  }

  async function register(applicant: Account, origin: Origin): Promise<void> {
    if (await store.insert(applicant)) {
      await steps.record('account.signed_up', applicant.id, origin);
      await mailVerification(applicant);
      return;
    }
    const owner = await store.findByEmail(applicant.email);
    if (!owner) return;
    await steps.record('account.sign_up_repeated', owner.id, origin);
    await (owner.emailVerified ? tellOwner(owner, applicant.profile.locale) : mailVerification(owner));
  }

  return {
    isSignUpOpen: options.isSignUpOpen,
    faultsOf: (application) => faultsOfApplication(application, options.policy),
    async signUp(request, origin) {
      if (!options.isSignUpOpen)
        throw new AppError('forbidden', 'Accounts are opened by an administrator here.');
      const { email, profile } = readApplication(request, options.policy);
      await mailLimits.admit(origin.address);
      const holders = holdersOf({ ...origin, email });
      const passwordHash = await options.passwords.hash(request.password, holders);
      const account = { id: options.newId(), email, emailVerified: false, profile, passwordHash };
      await delivery.begin(() =>
        register(createAccount({ ...account, role: 'customer' }, options.clock()), origin),
      );
    },
    async requestVerification({ email }, origin) {
      await mailLimits.admit(origin.address);
      await delivery.begin(async () => {
        const account = await store.findByEmail(parseEmail(email) ?? '');
        if (account?.status === 'active' && !account.emailVerified) await mailVerification(account);
      });
    },
    async resendVerification(accountId, origin) {
      await mailLimits.admit(origin.address);
      const account = await steps.get(accountId);
      if (!account.emailVerified) await delivery.begin(() => mailVerification(account));
    },
    async verifyEmail({ token, accountId }, origin) {
      const proof = await steps.inspect(token, 'verify_email');
      if (proof.accountId !== accountId) refuseLink();
      await steps.redeem(token, 'verify_email');
      const account = await steps.change(accountId, (stored, now) =>
        stored.email === proof.email ? revise(stored, { emailVerified: true }, now) : refuseLink(),
      );
      await steps.record('account.email_verified', accountId, origin);
      return account;
    },
  };
}
