import { revise } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountSteps } from './account-steps.ts';
import { readProfile } from './application.ts';

/** What people say that they are called. */
export interface NameChanges {
  /**
   * Takes effect with the next token. What the former name was made of goes with it, and so does the verification of
   * their applications, if any had one.
   *
   * @throws {AppError} `validation_failed`
   */
  changeName(
    change: { accountId: string; name: string },
    origin: Origin,
  ): Promise<{ isVerificationLost: boolean }>;
}

export interface NameChangesOptions {
  steps: AccountSteps;
  /** Vouches no longer for the applications that an account has registered; resolves with whether it did for any. */
  unverifyApplications(accountId: string, origin: Origin): Promise<boolean>;
}

export function createNameChanges({ steps, unverifyApplications }: NameChangesOptions): NameChanges {
  return {
    async changeName({ accountId, name }, origin) {
      const told = readProfile({ name });
      const before = await steps.get(accountId);
      if (before.profile.name === told.name) return { isVerificationLost: false };
      // First, so that nobody is shown the new name of somebody who is vouched for.
      const isVerificationLost = await unverifyApplications(accountId, origin);
      await steps.change(accountId, (stored, now) => {
        const { given_name: _, family_name: __, middle_name: ___, ...others } = stored.profile;
        return revise(stored, { profile: { ...others, ...told } }, now);
      });
      await steps.record('account.profile_changed', accountId, origin);
      return { isVerificationLost };
    },
  };
}
