import { updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import { requireProfile } from '../sign-in/account-input.ts';

/** Changes the name of a user. */
export interface NameChanges {
  /**
   * Takes effect with the next token. Removes the parts of the old name and the verification of the user's
   * applications.
   *
   * @throws {AppError} `validation_failed`
   */
  changeName(
    change: { accountId: string; name: string },
    origin: Origin,
  ): Promise<{ isVerificationLost: boolean }>;
}

export interface NameChangesOptions {
  operations: AccountOperations;
  /** Revokes the verification of an account's applications; resolves with whether any was verified. */
  unverifyApplications(accountId: string, origin: Origin): Promise<boolean>;
}

export function createNameChanges({ operations, unverifyApplications }: NameChangesOptions): NameChanges {
  return {
    async changeName({ accountId, name }, origin) {
      const names = requireProfile({ name });
      const before = await operations.get(accountId);
      if (before.profile.name === names.name) return { isVerificationLost: false };
      // First, so that no consent page shows the new name on a verified application.
      const isVerificationLost = await unverifyApplications(accountId, origin);
      await operations.change(accountId, (stored, now) => {
        const { given_name: _, family_name: __, middle_name: ___, ...others } = stored.profile;
        return updateAccount(stored, { profile: { ...others, ...names } }, now);
      });
      await operations.recordEvent('account.profile_changed', accountId, origin);
      return { isVerificationLost };
    },
  };
}
