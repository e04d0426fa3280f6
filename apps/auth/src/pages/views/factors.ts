import type { QrCode } from '../qr-code.ts';
import type { AccountShell } from './account.ts';
import type { Form, Notice } from './forms.ts';

/** Second step of a sign-in. */
export interface SecondFactorView {
  /** Also the form of recovery codes. */
  form: Form<'code' | 'recovery_code'>;
  email: string;
  /** Application that sent the authorization request. */
  application?: { name: string } | undefined;
  /** Days for which a device can be trusted. */
  trustDays: number;
  links: {
    /** First step. */
    signIn: string;
    cancel?: string | undefined;
  };
}

/** Shown after a password, if the account has passkeys instead of an authenticator app. */
export interface PasskeyNeededView {
  application?: { name: string } | undefined;
  links: SecondFactorView['links'];
}

export interface SetUpTotpView {
  /** Absent during a sign-in. */
  shell?: AccountShell | undefined;
  form: Form<'code'>;
  application?: { name: string } | undefined;
  /** In base32. */
  secret: string;
  /** The secret for authenticator apps (`otpauth:`). */
  uri: string;
  qrCode: QrCode;
  /** The secret for the form, posted as `sealed`. */
  sealed: string;
  /** Why the page is shown. */
  purpose: 'chosen' | 'replaced' | 'required' | 'offered';
  /** Last day of the grace period. */
  later?: { until: Date } | undefined;
  links: { cancel: string };
}

/** Second factor of an account. */
export interface TwoStepView {
  shell: AccountShell;
  /** Authenticator app, and the form of its changes (field `change`); absent if none is set up. */
  totp?: { since: Date; unusedCodes: number; hasFewCodes: boolean; form: Form } | undefined;
  /** Whether the role of the account requires a second factor, so that it cannot be removed. */
  isRequired: boolean;
  notice?: Notice | undefined;
  links: { setUp: string };
}

/** Recovery codes, which are shown once. */
export interface RecoveryCodesView {
  shell?: AccountShell | undefined;
  codes: readonly string[];
  email: string;
  /** Form that continues a sign-in, or link that continues elsewhere. */
  goOn: Form | { href: string };
}
