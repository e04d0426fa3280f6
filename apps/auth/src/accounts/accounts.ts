import { type AccountOperationsOptions, createAccountOperations } from './account/account-operations.ts';
import { createDeferredTasks, type DeferredTasksOptions } from './account/deferred-tasks.ts';
import {
  type Administration,
  type AdministrationOptions,
  createAdministration,
  createPurge,
  createSignOutEverywhere,
  type SignOutEverywhere,
  type SignOutEverywhereOptions,
} from './changes/administration.ts';
import { createEmailChanges, type EmailChanges, type EmailChangesOptions } from './changes/email-changes.ts';
import { createNameChanges, type NameChanges, type NameChangesOptions } from './changes/name-changes.ts';
import { type CredentialRemovalOptions, createCredentialRemoval } from './credentials/credential-removal.ts';
import {
  createFactorChanges,
  type FactorChangeCases,
  type FactorChangesOptions,
} from './factors/factor-changes.ts';
import {
  createSecondFactors,
  type SecondFactors,
  type SecondFactorsOptions,
} from './factors/second-factors.ts';
import {
  createIdentityLinks,
  type IdentityLinks,
  type IdentityLinksOptions,
} from './identities/identity-links.ts';
import { createIdentityRecords, type IdentityRecordsOptions } from './identities/identity-records.ts';
import {
  createIdentitySignIn,
  type IdentitySignIn,
  type IdentitySignInOptions,
} from './identities/identity-sign-in.ts';
import { createReclaim, type ReclaimOptions } from './identities/reclaim.ts';
import {
  createUpstreamLogOuts,
  type UpstreamLogOuts,
  type UpstreamLogOutsOptions,
} from './identities/upstream-log-outs.ts';
import {
  type AccountExport,
  type AccountExportOptions,
  createAccountExport,
} from './leaving/account-export.ts';
import { createDeletion, type Deletion, type DeletionOptions } from './leaving/deletion.ts';
import { createPasskeys, type Passkeys, type PasskeysOptions } from './passkeys/passkeys.ts';
import {
  createPasswordChanges,
  type PasswordChanges,
  type PasswordChangesOptions,
} from './passwords/password-changes.ts';
import {
  createPasswordConfirmation,
  type PasswordConfirmationOptions,
} from './passwords/password-confirmation.ts';
import {
  createPasswordRemoval,
  type PasswordRemoval,
  type PasswordRemovalOptions,
} from './passwords/password-removal.ts';
import { createPasswordSetter, type PasswordSetterOptions } from './passwords/password-setter.ts';
import {
  createDisownedSignIns,
  type DisownedSignIns,
  type DisownedSignInsOptions,
} from './sessions/disowned-sign-ins.ts';
import {
  createNewDeviceNotices,
  type NewDeviceNotices,
  type NewDeviceNoticesOptions,
} from './sessions/new-device-notices.ts';
import {
  createSessionEndings,
  type SessionEndings,
  type SessionEndingsOptions,
} from './sessions/session-endings.ts';
import {
  createPasswordResets,
  type PasswordResets,
  type PasswordResetsOptions,
} from './sign-in/password-resets.ts';
import { createSignIn, type SignIn, type SignInOptions } from './sign-in/sign-in.ts';
import { createSignUp, createVerificationMail, type SignUp, type SignUpOptions } from './sign-in/sign-up.ts';

/** Options that `createAccounts` creates itself. */
type SharedParts =
  | 'operations'
  | 'identityRecords'
  | 'mailVerification'
  | 'reclaim'
  | 'credentialRemoval'
  | 'purge'
  | 'confirm'
  | 'setter'
  | 'deferred';

export type AccountsOptions = AccountOperationsOptions &
  Omit<
    DeferredTasksOptions &
      SignUpOptions &
      SignInOptions &
      PasswordConfirmationOptions &
      NameChangesOptions &
      PasswordSetterOptions &
      PasswordChangesOptions &
      PasswordRemovalOptions &
      CredentialRemovalOptions &
      PasswordResetsOptions &
      EmailChangesOptions &
      PasskeysOptions &
      SecondFactorsOptions &
      FactorChangesOptions &
      IdentityRecordsOptions &
      IdentitySignInOptions &
      IdentityLinksOptions &
      ReclaimOptions &
      UpstreamLogOutsOptions &
      SignOutEverywhereOptions &
      SessionEndingsOptions &
      DeletionOptions &
      NewDeviceNoticesOptions &
      DisownedSignInsOptions &
      AccountExportOptions &
      AdministrationOptions,
    SharedParts
  >;

/** All use cases of accounts. */
export type Accounts = SignUp &
  SignIn &
  NameChanges &
  PasswordChanges &
  PasswordRemoval &
  PasswordResets &
  EmailChanges &
  Passkeys &
  IdentitySignIn &
  IdentityLinks &
  UpstreamLogOuts &
  SignOutEverywhere &
  SessionEndings &
  Deletion &
  NewDeviceNotices &
  DisownedSignIns &
  AccountExport &
  Administration & {
    secondFactors: SecondFactors;
    factorChanges: FactorChangeCases;
  };

export function createAccounts(options: AccountsOptions): Accounts {
  const operations = createAccountOperations(options);
  const confirm = createPasswordConfirmation({ ...options, operations });
  const setter = createPasswordSetter({ ...options, operations });
  const mailVerification = createVerificationMail({ ...options, operations });
  const identityRecords = createIdentityRecords({ ...options, operations });
  const reclaim = createReclaim({ ...options, operations });
  const parts = {
    ...options,
    operations,
    identityRecords,
    mailVerification,
    reclaim,
    credentialRemoval: createCredentialRemoval({ ...options, operations }),
    confirm,
    setter,
    deferred: createDeferredTasks(options),
    purge: createPurge({ ...options, operations }).purge,
  };
  return {
    ...createSignUp(parts),
    ...createSignIn(parts),
    ...createNameChanges(parts),
    ...createPasswordChanges(parts),
    ...createPasswordRemoval(parts),
    ...createPasswordResets(parts),
    ...createEmailChanges(parts),
    ...createPasskeys(parts),
    ...createIdentitySignIn(parts),
    ...createIdentityLinks(parts),
    ...createUpstreamLogOuts(parts),
    ...createSignOutEverywhere(parts),
    ...createSessionEndings(parts),
    ...createDeletion(parts),
    ...createNewDeviceNotices(parts),
    ...createDisownedSignIns(parts),
    ...createAccountExport(parts),
    ...createAdministration(parts),
    secondFactors: createSecondFactors(parts),
    factorChanges: createFactorChanges(parts),
  };
}
