import type { AccountShell } from './account.ts';
import type { Form, Notice } from './forms.ts';

export interface PasskeySummary {
  name: string;
  createdAt: Date;
  lastUsedAt?: Date | undefined;
  /** Whether it is synchronized between devices. */
  isSynced: boolean;
  links: { change: string };
}

export interface PasskeysView {
  shell: AccountShell;
  passkeys: readonly PasskeySummary[];
  /** Whether browsers have WebAuthn at this server. */
  isAvailable: boolean;
  notice?: Notice | undefined;
  links: {
    /** Absent if WebAuthn is unavailable or the address is not verified. */
    add?: string | undefined;
    /** Page that verifies the address, which comes first. */
    verifyEmail?: string | undefined;
  };
}

export interface NewPasskeyView {
  shell: AccountShell;
  form: Form<'passkey_name'>;
  /** Rejected input. */
  name?: string | undefined;
  /** Options of the browser's `navigator.credentials.create`, JSON. */
  options: string;
  links: { passkeys: string };
}

export interface PasskeyView {
  shell: AccountShell;
  /** Form of both changes: the field `change` says which. */
  form: Form<'passkey_name'>;
  /** Current value, or the rejected input. */
  name: string;
  links: {
    passkeys: string;
    /** Present if the account could not sign in without the passkey, which therefore cannot be removed. */
    choosePassword?: string | undefined;
  };
}
