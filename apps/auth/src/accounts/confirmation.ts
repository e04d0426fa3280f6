import type { FieldError } from '@keydesk/http';
import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import { type AccountSteps, invalid, requireFaultless } from './account-steps.ts';
import { checkPassword } from './password-check.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SignInLimits } from './sign-in-limits.ts';

export interface ConfirmationOptions {
  steps: AccountSteps;
  passwords: PasswordHasher;
  signInLimits: SignInLimits;
}

/** What somebody who is signed in wants to do, and the password that shows it is still them. */
export interface Confirmation {
  account: Account;
  currentPassword: string;
  /** For the audit record. */
  action: string;
  /** Faults of the rest of the request, which are named together with a wrong password. */
  faults?: readonly FieldError[] | undefined;
}

/**
 * Lets through whoever knows the password of the account that they are signed in to. These attempts are counted for
 * themselves, as if by one device of the account: a stolen session cannot guess on, and guesses from elsewhere do not
 * keep the owner from changing the password.
 */
export function createConfirmation({ steps, passwords, signInLimits }: ConfirmationOptions) {
  /**
   * Returns the account as it is stored after the password was checked.
   *
   * @throws {AppError} `validation_failed` naming a wrong password and every one of `faults`, `too_many_requests` or
   *   `unavailable`
   */
  return async function confirm(
    { account, currentPassword, action, faults = [] }: Confirmation,
    origin: Origin,
  ): Promise<Account> {
    const { id, email } = account;
    const admission = await signInLimits.admit({ email, address: origin.address, device: 'signed-in' });
    const readAgain = () => steps.get(id);
    const check = { account, password: currentPassword, readAgain, passwords, admission };
    const confirmed = await checkPassword(check);
    if (confirmed?.status !== 'active') {
      await steps.record('account.confirmation_failed', id, origin, { action });
      return refuseWrongPassword(faults);
    }
    await admission.giveBack();
    requireFaultless(faults);
    return confirmed;
  };
}

export function refuseWrongPassword(faults: readonly FieldError[] = []): never {
  const message = 'is not the password of this account';
  throw invalid([{ field: 'current_password', code: 'wrong_password', message }, ...faults]);
}

export type Confirm = ReturnType<typeof createConfirmation>;
