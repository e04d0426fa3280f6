import type { AccountShell } from './account.ts';
import type { Form } from './forms.ts';

export interface DownloadDataView {
  shell: AccountShell;
  form: Form<never>;
  links: { account: string };
}

export interface DeleteAccountView {
  shell: AccountShell;
  form: Form<never>;
  /** Day until which the account can be kept. */
  day: Date;
  links: { cancel: string; downloadData: string };
}

export interface KeepAccountView {
  form: Form<never>;
  email: string;
  /** Day on which the account will be deleted. */
  day: Date;
  links: { signOut: string };
}
