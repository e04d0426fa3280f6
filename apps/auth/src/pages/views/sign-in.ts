import type { Form, Notice } from './forms.ts';

export interface SignInView {
  form: Form<'email' | 'password'>;
  /** What was typed before, or the request's `login_hint`. */
  email?: string | undefined;
  /** The application that sent the person here. */
  application?: { name: string } | undefined;
  /** Page of the server that requires the sign-in, where its name helps: a person follows the link of a mail. */
  purpose?: 'verify_email' | 'confirm_email' | 'invitation' | 'application' | undefined;
  /** Somebody is signed in, and the application asks for the password again (`prompt=login`, `max_age`). */
  isAgain?: boolean | undefined;
  notice?: Notice | undefined;
  links: {
    forgotPassword?: string | undefined;
    /** Absent when sign-up is closed. */
    signUp?: string | undefined;
    /** Denies the request and returns to the application. */
    cancel?: string | undefined;
  };
}

export interface SignUpView {
  form: Form<'name' | 'email' | 'password'>;
  name?: string | undefined;
  email?: string | undefined;
  /** Characters that a password must have. */
  passwordMinLength: number;
  application?: { name: string } | undefined;
  links: { signIn: string; cancel?: string | undefined };
}

export interface CheckMailView {
  /** What the message is for. */
  purpose: 'sign_up' | 'password_reset' | 'email_change';
  email: string;
  /** How long its link works. */
  validitySeconds: number;
  /** Sends the message again. */
  resend?: Form | undefined;
  notice?: Notice | undefined;
  /** Back to where they came from: the account of who is signed in. */
  links: { signIn: string; account?: undefined } | { account: string; signIn?: undefined };
}

/** Where the link in the message leads: a button, because programs that check mail open every link. */
export interface VerifyEmailView {
  form: Form;
  email: string;
  /** The secret from the link, posted back as `token`. */
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
  /** The secret from the link, posted back as `token`. */
  token: string;
  passwordMinLength: number;
}
