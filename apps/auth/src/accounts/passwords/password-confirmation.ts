import type { FieldError } from '@keydesk/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, rejectInvalid, toValidationError } from '../account/account-operations.ts';
import type { SignInLimits } from '../limits/sign-in-limits.ts';
import { checkPassword } from './password-check.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface PasswordConfirmationOptions {
  operations: AccountOperations;
  passwords: PasswordHasher;
  signInLimits: SignInLimits;
}

/** Request of a signed-in user that needs the current password. */
export interface PasswordConfirmation {
  account: Account;
  currentPassword: string;
  /** Name of the action in the audit log. */
  action: string;
  /** Errors of the other fields, reported together with a wrong password. */
  otherErrors?: readonly FieldError[] | undefined;
}

/**
 * Checks the password of a signed-in user. These attempts have their own limit, as if made by one device of the
 * account. A stolen session cannot guess without limit, and guesses made elsewhere do not keep the owner from changing
 * the password.
 */
export function createPasswordConfirmation({
  operations,
  passwords,
  signInLimits,
}: PasswordConfirmationOptions) {
  /**
   * Returns the account, read again after the password was checked.
   *
   * @throws {AppError} `validation_failed` with a wrong password and all other errors, `too_many_requests` or
   *   `unavailable`
   */
  return async function confirm(
    { account, currentPassword, action, otherErrors = [] }: PasswordConfirmation,
    origin: Origin,
  ): Promise<Account> {
    const { id, email } = account;
    const admission = await signInLimits.admit({ email, address: origin.address, device: 'signed-in' });
    const readAgain = () => operations.get(id);
    const check = { account, password: currentPassword, readAgain, passwords, admission };
    const confirmed = await checkPassword(check);
    if (confirmed?.status !== 'active') {
      await operations.recordEvent('account.confirmation_failed', id, origin, { action });
      return rejectWrongPassword(otherErrors);
    }
    await admission.refund();
    rejectInvalid(otherErrors);
    return confirmed;
  };
}

export function rejectWrongPassword(otherErrors: readonly FieldError[] = []): never {
  const message = 'is not the password of this account';
  throw toValidationError([{ field: 'current_password', code: 'wrong_password', message }, ...otherErrors]);
}

export type ConfirmPassword = ReturnType<typeof createPasswordConfirmation>;
