import { type AccountStepsOptions, createAccountSteps } from './account-steps.ts';
import { type Administration, type AdministrationOptions, createAdministration } from './administration.ts';
import { createDeferredTasks, type DeferredTasksOptions } from './deferred-tasks.ts';
import { createEmailChanges, type EmailChanges, type EmailChangesOptions } from './email-changes.ts';
import { createNameChanges, type NameChanges, type NameChangesOptions } from './name-changes.ts';
import {
  createPasswordChanges,
  type PasswordChanges,
  type PasswordChangesOptions,
} from './password-changes.ts';
import { createPasswordConfirmation, type PasswordConfirmationOptions } from './password-confirmation.ts';
import { createPasswordResets, type PasswordResets, type PasswordResetsOptions } from './password-resets.ts';
import { createPasswordSetter, type PasswordSetterOptions } from './password-setter.ts';
import { createSignIn, type SignIn, type SignInOptions } from './sign-in.ts';
import {
  createSignOutEverywhere,
  type SignOutEverywhere,
  type SignOutEverywhereOptions,
} from './sign-out-everywhere.ts';
import { createSignUp, type SignUp, type SignUpOptions } from './sign-up.ts';

/** Options that `createAccounts` creates itself. */
type SharedParts = 'steps' | 'confirm' | 'setter' | 'deferred';

export type AccountsOptions = AccountStepsOptions &
  Omit<
    DeferredTasksOptions &
      SignUpOptions &
      SignInOptions &
      PasswordConfirmationOptions &
      NameChangesOptions &
      PasswordSetterOptions &
      PasswordChangesOptions &
      PasswordResetsOptions &
      EmailChangesOptions &
      SignOutEverywhereOptions &
      AdministrationOptions,
    SharedParts
  >;

/** All use cases of accounts. */
export type Accounts = SignUp &
  SignIn &
  NameChanges &
  PasswordChanges &
  PasswordResets &
  EmailChanges &
  SignOutEverywhere &
  Administration;

export function createAccounts(options: AccountsOptions): Accounts {
  const steps = createAccountSteps(options);
  const confirm = createPasswordConfirmation({ ...options, steps });
  const setter = createPasswordSetter({ ...options, steps });
  const parts = { ...options, steps, confirm, setter, deferred: createDeferredTasks(options) };
  return {
    ...createSignUp(parts),
    ...createSignIn(parts),
    ...createNameChanges(parts),
    ...createPasswordChanges(parts),
    ...createPasswordResets(parts),
    ...createEmailChanges(parts),
    ...createSignOutEverywhere(parts),
    ...createAdministration(parts),
  };
}
