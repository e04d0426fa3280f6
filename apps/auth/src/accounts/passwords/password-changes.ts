import type { FieldError } from '@keydesk/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, rejectInvalid } from '../account/account-operations.ts';
import { type ConfirmPassword, rejectWrongPassword } from './password-confirmation.ts';
import type { PasswordPolicy } from './password-policy.ts';
import type { PasswordSetter } from './password-setter.ts';

export interface PasswordChangesOptions {
  operations: AccountOperations;
  confirm: ConfirmPassword;
  policy: PasswordPolicy;
  setter: PasswordSetter;
}

/** Changes passwords. Each change ends every session and notifies the owner by mail. */
export interface PasswordChanges {
  /**
   * @throws {AppError} `validation_failed` with a wrong current or an unacceptable new password, or `too_many_requests`
   */
  changePassword(
    change: { accountId: string; currentPassword: string; newPassword: string },
    origin: Origin,
  ): Promise<Account>;
  /** Sets the password on behalf of an operator. @throws {AppError} `not_found` or `validation_failed` */
  setPassword(change: { accountId: string; newPassword: string }, origin: Origin): Promise<Account>;
}

const unchanged: FieldError = {
  field: 'password',
  code: 'unchanged',
  message: 'must differ from the current password',
};

export function createPasswordChanges(options: PasswordChangesOptions): PasswordChanges {
  const { operations, confirm, policy, setter } = options;

  return {
    async changePassword({ accountId, currentPassword, newPassword }, origin) {
      const account = await operations.get(accountId);
      const action = 'change_password';
      const otherErrors = policy.validate(newPassword, account.email);
      const confirmation = { account, currentPassword, action, otherErrors };
      const { email, credentialEpoch } = await confirm(confirmation, origin);
      if (newPassword === currentPassword) rejectInvalid([unchanged]);
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      const proof = { credentialEpoch, reject: rejectWrongPassword };
      return setter.set({ accountId, passwordHash, proof, type: 'account.password_changed' }, origin);
    },
    async setPassword({ accountId, newPassword }, origin) {
      const { email } = await operations.get(accountId);
      const passwordHash = await setter.prepare(newPassword, { ...origin, email });
      return setter.set({ accountId, passwordHash, type: 'account.password_reset' }, origin);
    },
  };
}
