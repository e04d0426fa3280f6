import type { Account } from './account.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { isTooLong } from './password-policy.ts';
import type { Admission } from './sign-in-limits.ts';

export interface PasswordCheck {
  account: Account | undefined;
  password: string;
  /** Reads the account again, as it is stored by then. */
  readAgain: () => Promise<Account | undefined>;
  passwords: PasswordHasher;
  admission: Admission;
}

/**
 * Returns the account that a password opens, as it is stored after the hash; `undefined` for a wrong password and for no
 * account, after the same work. A hash may wait in its queue for seconds, so the account is read again behind it and the
 * password checked again if the sign-ins of the account ended meanwhile. An attempt that could not be judged is given
 * back.
 *
 * @throws {AppError} `unavailable` when too many passwords wait to be checked, `too_many_requests` when too many of the
 *   same account or network do
 */
export async function checkPassword(check: PasswordCheck): Promise<Account | undefined> {
  const { password, passwords, admission } = check;
  if (isTooLong(password)) return undefined;
  let { account } = check;
  try {
    for (;;) {
      const isRight = await passwords.verify(password, account?.passwordHash ?? null, admission.holders);
      const current = await check.readAgain();
      if (isOfSameEpoch(current, account)) return isRight ? current : undefined;
      account = current;
    }
  } catch (err) {
    await admission.giveBack();
    throw err;
  }
}

function isOfSameEpoch(one: Account | undefined, other: Account | undefined): boolean {
  return one?.id === other?.id && one?.credentialEpoch === other?.credentialEpoch;
}
