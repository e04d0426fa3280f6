import { parseEmail } from '../../mail/email-address.ts';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { Authentication } from '../account/authentication.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { maySignIn } from '../account/credential-epoch.ts';
import type { DeviceCookies } from '../limits/device-cookie.ts';
import type { Admission, SignInAttempt, SignInLimits } from '../limits/sign-in-limits.ts';
import { checkPassword } from '../passwords/password-check.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';

export interface SignInOptions {
  operations: AccountOperations;
  store: AccountStore;
  passwords: PasswordHasher;
  signInLimits: SignInLimits;
  deviceCookies: DeviceCookies;
  background: BackgroundTasks;
}

export interface Credentials {
  /** As typed by the user. */
  email: string;
  password: string;
  /** Device cookie of an earlier sign-in in this browser. */
  deviceCookie?: string | undefined;
}

/** Authenticated account, and the device cookie to set for a year. */
export interface SignInResult {
  /** Read after the password was checked: its credential epoch is that of the sign-in. */
  account: Account;
  deviceCookie: string;
}

export interface SignIn {
  /**
   * Returns the account of valid credentials. Returns `undefined` for an unknown address, a wrong password and a
   * disabled account alike, after the same work (OWASP ASVS 5.0 §6.3.8).
   *
   * @throws {AppError} `too_many_requests`, whether or not the account exists, or `unavailable` if the queue is full;
   *   both with `retryAfterSeconds`
   */
  authenticate(credentials: Credentials, origin: Origin): Promise<SignInResult | undefined>;
  /** Records a sign-in whose first factor was right, and which waits for the second one. */
  recordSecondFactorRequest(account: Account, origin: Origin): Promise<void>;
  /** Records a completed sign-in, with its methods. */
  recordSignIn(authentication: Pick<Authentication, 'account' | 'methods'>, origin: Origin): Promise<void>;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { operations, store, passwords, signInLimits, deviceCookies, background } = options;

  async function admit(attempt: SignInAttempt, origin: Origin): Promise<Admission> {
    try {
      return await signInLimits.admit(attempt);
    } catch (rejection) {
      if (await signInLimits.isFirstRejection(attempt)) {
        const account = await store.findByEmail(attempt.email);
        await operations.recordEvent('account.sign_in_limited', account?.id ?? null, origin);
      }
      throw rejection;
    }
  }

  /**
   * Hashes the password again if the cost parameters have changed. If the account changes in the meantime, the next
   * sign-in does it.
   */
  function rehashIfOutdated(account: Account, password: string, { queueKeys }: Admission): void {
    const { passwordHash, version } = account;
    if (passwordHash === null || !passwords.isOutdated(passwordHash)) return;
    background.run(async () => {
      const renewed = {
        ...account,
        passwordHash: await passwords.hash(password, queueKeys),
        version: version + 1,
      };
      await store.replace(renewed, version);
    });
  }

  return {
    async authenticate({ email: typed, password, deviceCookie }, origin) {
      // Text that is not an address is treated like an unknown address.
      const email = parseEmail(typed) ?? '';
      const device = deviceCookies.findDevice(deviceCookie, email);
      const admission = await admit({ email, address: origin.address, device }, origin);
      const readAgain = () => store.findByEmail(email);
      const candidate = await readAgain();
      const account = await checkPassword({ account: candidate, password, readAgain, passwords, admission });
      if (!maySignIn(account)) {
        const reason = rejectionReason(candidate, account);
        await operations.recordEvent('account.sign_in_failed', candidate?.id ?? null, origin, { reason });
        return undefined;
      }
      await admission.refund();
      rehashIfOutdated(account, password, admission);
      return { account, deviceCookie: deviceCookies.remember(deviceCookie, account) };
    },
    recordSecondFactorRequest: ({ id }, origin) =>
      operations.recordEvent('account.second_factor_requested', id, origin),
    recordSignIn: ({ account, methods }, origin) =>
      operations.recordEvent('account.signed_in', account.id, origin, { methods: methods.join(' ') }),
  };
}

function rejectionReason(candidate: Account | undefined, account: Account | undefined): string {
  if (account) return 'disabled';
  return candidate ? 'wrong_password' : 'unknown_account';
}
