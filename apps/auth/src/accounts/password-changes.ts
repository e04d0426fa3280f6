import type { FieldError } from '@keydesk/http';
import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import { type AccountSteps, requireFaultless } from './account-steps.ts';
import { type Confirm, refuseWrongPassword } from './confirmation.ts';
import type { PasswordPolicy } from './password-policy.ts';
import type { PasswordSetter } from './password-setter.ts';

export interface PasswordChangesOptions {
  steps: AccountSteps;
  confirm: Confirm;
  policy: PasswordPolicy;
  setter: PasswordSetter;
}

/** Other passwords for accounts that are open. Each ends every session and is told to the owner by mail. */
export interface PasswordChanges {
  /** @throws {AppError} `validation_failed` naming a wrong current and a bad new password, `too_many_requests` */
  changePassword(
    change: { accountId: string; currentPassword: string; newPassword: string },
    origin: Origin,
  ): Promise<Account>;
  /** Sets the password on an operator's word. @throws {AppError} `not_found`, or `validation_failed` */
  setPassword(change: { accountId: string; newPassword: string }, origin: Origin): Promise<Account>;
}

const unchanged: FieldError = { field: 'password', code: 'unchanged', message: 'must be another one' };

export function createPasswordChanges(options: PasswordChangesOptions): PasswordChanges {
  const { steps, confirm, policy, setter } = options;

  return {
    async changePassword({ accountId, currentPassword, newPassword }, origin) {
      const claimed = await steps.get(accountId);
      const action = 'change_password';
      const faults = policy.faultsOf(newPassword, claimed.email);
      const confirmation = { account: claimed, currentPassword, action, faults };
      const { email, credentialEpoch } = await confirm(confirmation, origin);
      if (newPassword === currentPassword) requireFaultless([unchanged]);
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      const proof = { credentialEpoch, refuse: refuseWrongPassword };
      return setter.set({ accountId, passwordHash, proof, type: 'account.password_changed' }, origin);
    },
    async setPassword({ accountId, newPassword }, origin) {
      const { email } = await steps.get(accountId);
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      return setter.set({ accountId, passwordHash, type: 'account.password_reset' }, origin);
    },
  };
}
