import type { AccountShell } from './account.ts';
import type { Form, Notice } from './forms.ts';

/** Device in words. */
export interface DeviceWords {
  browser?: string | undefined;
  system?: string | undefined;
  kind: 'computer' | 'phone' | 'tablet' | 'other';
}

/** A browser in which the user is signed in. */
export interface ShownSession {
  id: string;
  device: DeviceWords;
  /** Network address; absent if not recorded. */
  address?: string | undefined;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** Names of the applications that have access through the session. */
  applications: readonly string[];
  /** Action of the form that ends the session; absent for the session of this browser. */
  endAction?: string | undefined;
}

/** A browser that is not asked for the second factor. */
export interface ShownTrustedDevice {
  id: string;
  /** Browser and operating system. */
  description: string;
  since: Date;
  until: Date;
}

export interface SessionsView {
  shell: AccountShell;
  csrf: string;
  sessions: readonly ShownSession[];
  /** Action of the form that ends all other sessions; absent without others. */
  endOthersAction?: string | undefined;
  trustedDevices: readonly ShownTrustedDevice[];
  notice?: Notice | undefined;
}

/**
 * Page that the mail about a sign-in or a change of the address opens. It has a button, because mail scanners open every
 * link.
 */
export interface DisownSignInView {
  form: Form;
  /** The address to which the link was mailed. */
  email: string;
  /** Whether the account has another address by now, and gets this one back. */
  isAddressChanged: boolean;
  /** Secret from the link, posted as `token`. */
  token: string;
}
