import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import { type AccountSteps, requireFaultless } from './account-steps.ts';
import { isPasswordOf } from './password-check.ts';
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
}

/**
 * Lets through whoever knows the password of the account that they are signed in to. These attempts are counted for
 * themselves, as if by one device of the account: a stolen session cannot guess on, and guesses from elsewhere do not
 * keep the owner from changing the password.
 */
export function createConfirmation({ steps, passwords, signInLimits }: ConfirmationOptions) {
  /** @throws {AppError} `validation_failed` with the code `wrong_password`, `too_many_requests` or `unavailable` */
  return async function confirm(
    { account, currentPassword, action }: Confirmation,
    origin: Origin,
  ): Promise<void> {
    const { email } = account;
    const admission = await signInLimits.admit({ email, address: origin.address, device: 'signed-in' });
    if (await isPasswordOf(account, currentPassword, { passwords, admission })) return admission.giveBack();
    await steps.record('account.confirmation_failed', account.id, origin, { action });
    refuseWrongPassword();
  };
}

export function refuseWrongPassword(): void {
  requireFaultless([
    { field: 'current_password', code: 'wrong_password', message: 'is not the password of this account' },
  ]);
}

export type Confirm = ReturnType<typeof createConfirmation>;
