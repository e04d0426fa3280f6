import type { Role } from '../../clients/client.ts';
import type { ApplicationSummary } from './application.ts';
import type { Form, Notice } from './forms.ts';

/** The head of the pages of a person who is signed in. */
export interface AccountShell {
  email: string;
  links: {
    account: string;
    connectedApplications: string;
    /** Absent when people may not register applications. */
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
    /** Where the mail that confirms the address is sent once more. */
    verifyEmail?: string | undefined;
  };
}

export interface ChangeNameView {
  shell: AccountShell;
  form: Form<'name'>;
  /** As it is, or as it was typed before. */
  name?: string | undefined;
}

export interface ChangePasswordView {
  shell: AccountShell;
  form: Form<'current_password' | 'new_password'>;
  passwordMinLength: number;
}

export interface ChangeEmailView {
  shell: AccountShell;
  form: Form<'email' | 'current_password'>;
  /** As typed before. */
  email?: string | undefined;
}

export interface ConnectedApplication extends ApplicationSummary {
  /** The client id. */
  id: string;
  scopes: readonly string[];
  since: Date;
  lastUsedAt?: Date | undefined;
  /** Where “take back access” is posted. */
  revokeAction: string;
}

export interface ConnectedApplicationsView {
  shell: AccountShell;
  csrf: string;
  applications: readonly ConnectedApplication[];
  notice?: Notice | undefined;
}
