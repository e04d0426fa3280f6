import { parseEmail } from '../mail/email-address.ts';
import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountSteps } from './account-steps.ts';
import type { AccountStore } from './account-store.ts';
import type { Background } from './background.ts';
import type { DeviceCookies } from './device-cookie.ts';
import { checkPassword } from './password-check.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Admission, SignInAttempt, SignInLimits } from './sign-in-limits.ts';

export interface SignInOptions {
  steps: AccountSteps;
  store: AccountStore;
  passwords: PasswordHasher;
  signInLimits: SignInLimits;
  deviceCookies: DeviceCookies;
  background: Background;
}

export interface Credentials {
  /** As it was typed. */
  email: string;
  password: string;
  /** What the browser brought of an earlier sign-in. */
  deviceCookie?: string | undefined;
}

/** Somebody who has shown who they are, and the cookie that their browser should keep for a year. */
export interface SignedIn {
  /** As it was stored after the password was checked: its credential epoch is that of the sign-in. */
  account: Account;
  deviceCookie: string;
}

export interface SignIn {
  /**
   * Finds the account that the credentials open. An unknown address, a wrong password and a disabled account are one
   * answer, `undefined`, after the same work (OWASP ASVS 5.0 §6.3.8).
   *
   * @throws {AppError} `too_many_requests`, whether or not there is such an account, or `unavailable` when too many
   *   passwords wait to be checked; both with `Retry-After`
   */
  authenticate(credentials: Credentials, origin: Origin): Promise<SignedIn | undefined>;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { steps, store, passwords, signInLimits, deviceCookies, background } = options;

  async function admit(attempt: SignInAttempt, origin: Origin): Promise<Admission> {
    try {
      return await signInLimits.admit(attempt);
    } catch (refusal) {
      if (await signInLimits.isFirstRefusal(attempt)) {
        const account = await store.findByEmail(attempt.email);
        await steps.record('account.sign_in_limited', account?.id ?? null, origin);
      }
      throw refusal;
    }
  }

  /** Hashes the password again at today's cost; if the account is changed meanwhile, next time will do. */
  function keepUpToDate(account: Account, password: string, { holders }: Admission): void {
    const { passwordHash, version } = account;
    if (passwordHash === null || !passwords.isOutdated(passwordHash)) return;
    background.run(async () => {
      const renewed = {
        ...account,
        passwordHash: await passwords.hash(password, holders),
        version: version + 1,
      };
      await store.replace(renewed, version);
    });
  }

  return {
    async authenticate({ email: typed, password, deviceCookie }, origin) {
      // What cannot be an address is no account's, and is treated like any other address that is not.
      const email = parseEmail(typed) ?? '';
      const device = deviceCookies.deviceOf(deviceCookie, email);
      const admission = await admit({ email, address: origin.address, device }, origin);
      const readAgain = () => store.findByEmail(email);
      const claimed = await readAgain();
      const account = await checkPassword({ account: claimed, password, readAgain, passwords, admission });
      if (account?.status !== 'active') {
        const reason = reasonToRefuse(claimed, account);
        await steps.record('account.sign_in_failed', claimed?.id ?? null, origin, { reason });
        return undefined;
      }
      await admission.giveBack();
      keepUpToDate(account, password, admission);
      await steps.record('account.signed_in', account.id, origin);
      return { account, deviceCookie: deviceCookies.remember(deviceCookie, email) };
    },
  };
}

function reasonToRefuse(claimed: Account | undefined, opened: Account | undefined): string {
  if (opened) return 'disabled';
  return claimed ? 'wrong_password' : 'unknown_account';
}
