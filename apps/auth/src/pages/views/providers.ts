import type { AccountShell } from './account.ts';
import type { Form, Notice } from './forms.ts';

/** Link to a provider at which users can sign in. */
export interface ProviderButton {
  id: string;
  name: string;
  /** Path of its logo. */
  logo?: string | undefined;
  href: string;
}

/** Identity of an account at a provider. */
export interface LinkedIdentity {
  /** Name of the provider. */
  provider: string;
  logo?: string | undefined;
  /** Address or name of the user at the provider. */
  label?: string | undefined;
  linkedAt: Date;
  lastUsedAt?: Date | undefined;
  id: string;
}

export interface IdentitiesView {
  shell: AccountShell;
  /** Form that unlinks an identity; absent if none is linked. */
  form?: Form | undefined;
  identities: readonly LinkedIdentity[];
  /** Providers to link. */
  providers: readonly ProviderButton[];
  notice?: Notice | undefined;
}

/** Page that asks a user to confirm a link after the sign-in at the provider. */
export interface LinkIdentityView {
  shell: AccountShell;
  form: Form;
  provider: string;
  label?: string | undefined;
  links: { cancel: string };
}
