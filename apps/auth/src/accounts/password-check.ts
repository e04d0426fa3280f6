import type { Account } from './account.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { isTooLong } from './password-policy.ts';
import type { Admission } from './sign-in-limits.ts';

/**
 * Whether the password opens the account; for no account it never does, after the same work. An attempt that could
 * not be judged is given back.
 *
 * @throws {AppError} `unavailable` when too many passwords wait to be checked, `too_many_requests` when too many of the
 *   same account or network do
 */
export async function isPasswordOf(
  account: Account | undefined,
  password: string,
  { passwords, admission }: { passwords: PasswordHasher; admission: Admission },
): Promise<boolean> {
  if (isTooLong(password)) return false;
  try {
    return await passwords.verify(password, account?.passwordHash ?? null, admission.holders);
  } catch (err) {
    await admission.giveBack();
    throw err;
  }
}
