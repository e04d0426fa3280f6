import type { Account } from '../account/account.ts';
import type { Admission } from '../limits/sign-in-limits.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { isTooLong } from './password-policy.ts';

export interface PasswordCheck {
  account: Account | undefined;
  password: string;
  /** Reads the account again. */
  readAgain: () => Promise<Account | undefined>;
  passwords: PasswordHasher;
  admission: Admission;
}

/**
 * Checks a password and returns the account, read again after the hash. Returns `undefined` for a wrong password and
 * for an unknown account, after the same work. A hash may wait in its queue for seconds; if the credential epoch of the
 * account has changed by then, the password is checked again. An attempt that failed with an error is refunded.
 *
 * @throws {AppError} `unavailable` if the queue is full, `too_many_requests` if the account or network has its share of
 *   it
 */
export async function checkPassword(check: PasswordCheck): Promise<Account | undefined> {
  const { password, passwords, admission } = check;
  if (isTooLong(password)) return undefined;
  let { account } = check;
  try {
    for (;;) {
      const isRight = await passwords.verify(password, account?.passwordHash ?? null, admission.queueKeys);
      const current = await check.readAgain();
      if (isOfSameEpoch(current, account)) return isRight ? current : undefined;
      account = current;
    }
  } catch (err) {
    await admission.refund();
    throw err;
  }
}

function isOfSameEpoch(one: Account | undefined, other: Account | undefined): boolean {
  return one?.id === other?.id && one?.credentialEpoch === other?.credentialEpoch;
}
