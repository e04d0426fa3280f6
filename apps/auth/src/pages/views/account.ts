import type { Role } from '../../values/scopes.ts';
import type { ApplicationSummary } from './application.ts';
import type { Form, Notice } from './forms.ts';

/** Header of the pages behind a session. */
export interface AccountShell {
  email: string;
  links: {
    account: string;
    connectedApplications: string;
    /** Absent if users cannot register applications. */
    applications?: string | undefined;
    signOut: string;
  };
}

export interface AccountView {
  shell: AccountShell;
  account: {
    name?: string | undefined;
    email: string;
    isEmailVerified: boolean;
    role: Role;
    createdAt: Date;
    passwordChangedAt?: Date | undefined;
  };
  notice?: Notice | undefined;
  signOutEverywhere: Form;
  links: {
    changeName: string;
    changePassword: string;
    changeEmail: string;
    twoStep: string;
    passkeys: string;
    /** Absent if no provider is configured. */
    identities?: string | undefined;
    sessions: string;
    downloadData: string;
    deleteAccount: string;
    /** Page that sends the verification mail again. */
    verifyEmail?: string | undefined;
  };
}

export interface ChangeNameView {
  shell: AccountShell;
  form: Form<'name'>;
  /** Current value, or the rejected input. */
  name?: string | undefined;
}

export interface ChangePasswordView {
  shell: AccountShell;
  form: Form<'current_password' | 'new_password'>;
  passwordMinLength: number;
  notice?: Notice | undefined;
  /** Page that removes the password; absent if it is the only way to sign in. */
  links: { remove?: string | undefined };
}

export interface RemovePasswordView {
  shell: AccountShell;
  form: Form;
  links: { cancel: string };
}

export interface ChangeEmailView {
  shell: AccountShell;
  form: Form<'email' | 'current_password'>;
  /** Whether the account has a password, which the form asks for. */
  hasPassword: boolean;
  /** Rejected input. */
  email?: string | undefined;
}

export interface ConnectedApplication extends ApplicationSummary {
  /** Client id. */
  id: string;
  scopes: readonly string[];
  since: Date;
  lastUsedAt?: Date | undefined;
  /** Action of the form “take back access”. */
  revokeAction: string;
}

export interface ConnectedApplicationsView {
  shell: AccountShell;
  csrf: string;
  applications: readonly ConnectedApplication[];
  notice?: Notice | undefined;
}
