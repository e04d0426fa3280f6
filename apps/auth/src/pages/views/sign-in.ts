import type { Form, Notice } from './forms.ts';
import type { ProviderButton } from './providers.ts';

export interface SignInView {
  form: Form<'email' | 'password'>;
  /** Options of the browser's `navigator.credentials.get`, JSON; absent without WebAuthn. */
  passkeyRequest?: string | undefined;
  /** Rejected input, or the request's `login_hint`. */
  email?: string | undefined;
  /** Application that sent the authorization request. */
  application?: { name: string } | undefined;
  /** Page that requires the sign-in, if it was opened through a mailed link. */
  purpose?: 'verify_email' | 'confirm_email' | 'invitation' | 'application' | undefined;
  /** Whether the application requests the password again (`prompt=login`, `max_age`) despite a session. */
  isAgain?: boolean | undefined;
  notice?: Notice | undefined;
  /** Other providers at which the user can sign in. */
  providers?: readonly ProviderButton[] | undefined;
  links: {
    forgotPassword?: string | undefined;
    /** Absent if sign-up is closed. */
    signUp?: string | undefined;
    /** Denies the request and returns to the application. */
    cancel?: string | undefined;
  };
}

export interface SignUpView {
  form: Form<'name' | 'email' | 'password'>;
  name?: string | undefined;
  email?: string | undefined;
  /** Minimum length of a password. */
  passwordMinLength: number;
  /** Whether users may sign up with a passkey instead of a password. */
  isPasskeyOffered: boolean;
  application?: { name: string } | undefined;
  links: { signIn: string; cancel?: string | undefined };
}

/** Page that the mailed link of a sign-up without a password opens. */
export interface SignUpPasskeyView {
  form: Form<'passkey_name'>;
  email: string;
  /** Rejected input. */
  name?: string | undefined;
  /** Secret from the link, posted as `token`. */
  token: string;
  /** Options of the browser's `navigator.credentials.create`, JSON. */
  options: string;
  links: { choosePassword: string };
}

export interface CheckMailView {
  /** Purpose of the mail. */
  purpose: 'sign_up' | 'password_reset' | 'email_change';
  email: string;
  /** Lifetime of its link. */
  validitySeconds: number;
  /** Form that sends the mail again. */
  resend?: Form | undefined;
  notice?: Notice | undefined;
  /** Link back: to the account page in a session, else to the sign-in page. */
  links: { signIn: string; account?: undefined } | { account: string; signIn?: undefined };
}

/** Page that the mailed link opens. It has a button, because mail scanners open every link. */
export interface VerifyEmailView {
  form: Form;
  email: string;
  /** Secret from the link, posted as `token`. */
  token: string;
}

export type EmailVerifiedView =
  | { outcome: 'verified'; email: string; links: { goOn: string } }
  | { outcome: 'invalid'; links: { newLink?: string | undefined } };

export interface ForgotPasswordView {
  form: Form<'email'>;
  email?: string | undefined;
  links: { signIn: string };
}

export interface ResetPasswordView {
  form: Form<'password'>;
  email: string;
  /** Secret from the link, posted as `token`. */
  token: string;
  passwordMinLength: number;
}
