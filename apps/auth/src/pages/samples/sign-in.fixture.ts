import type { Samples } from '../samples.fixture.ts';

const form = { action: '/interaction/Xv3kQ/sign-in', csrf: 'b1f9c0d2' };
const application = { name: 'Printshop Status' };
const email = 'ada.lovelace@example.com';

export const signInSamples = {
  renderSignIn: {
    'sign-in': {
      form,
      application,
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up', cancel: '/interaction/Xv3kQ/cancel' },
    },
    'sign-in-passkey': {
      form: { ...form, problems: [{ code: 'passkey_rejected' }] },
      // Not the RP ID of the preview, so that no ceremony starts there.
      passkeyRequest: JSON.stringify({ challenge: 'AAAA', rpId: 'auth.example' }),
      application,
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up', cancel: '/interaction/Xv3kQ/cancel' },
    },
    'sign-in-providers': {
      form,
      application,
      notice: { code: 'provider_unavailable', values: { provider: 'Acme Directory' } },
      providers: [
        { id: 'acme', name: 'Acme Directory', href: '/sign-in/with/acme' },
        { id: 'long', name: 'Landesamt für Vermessung und Geobasisinformation', href: '/sign-in/with/long' },
      ],
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up', cancel: '/interaction/Xv3kQ/cancel' },
    },
    'sign-in-wrong': {
      form: { ...form, problems: [{ code: 'credentials_invalid' }] },
      email,
      application,
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up', cancel: '/interaction/Xv3kQ/cancel' },
    },
    'sign-in-limited': {
      form: { ...form, problems: [{ code: 'too_many_attempts', values: { wait: 300 } }] },
      email,
      links: { forgotPassword: '/forgot-password' },
    },
    'sign-in-again': {
      form,
      email,
      isAgain: true,
      application: { name: 'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg' },
      links: { forgotPassword: '/forgot-password', cancel: '/interaction/Xv3kQ/cancel' },
    },
    'sign-in-verify-email': { form, purpose: 'verify_email', links: { forgotPassword: '/forgot-password' } },
    'sign-in-confirm-email': { form, purpose: 'confirm_email', links: {} },
    'sign-in-application': { form, purpose: 'application', links: {} },
    'sign-in-expired': {
      form,
      notice: { code: 'sign_in_expired' },
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up' },
    },
    'sign-in-notice': {
      form,
      notice: { code: 'password_reset' },
      links: { forgotPassword: '/forgot-password', signUp: '/sign-up' },
    },
  },
  renderSignUp: {
    'sign-up': {
      form,
      application,
      passwordMinLength: 10,
      isPasskeyOffered: true,
      links: { signIn: '/sign-in', cancel: '/cancel' },
    },
    'sign-up-wrong': {
      form: {
        ...form,
        problems: [
          { field: 'name', code: 'name_missing' },
          { field: 'email', code: 'email_invalid' },
          { field: 'password', code: 'password_common' },
          { field: 'password', code: 'password_too_short', values: { min: 10 } },
        ],
      },
      name: 'Ada',
      email: 'ada.lovelace@',
      passwordMinLength: 10,
      isPasskeyOffered: false,
      links: { signIn: '/sign-in' },
    },
  },
  renderSignUpPasskey: {
    'sign-up-passkey': {
      form,
      email,
      token: 'Zm9v',
      // Not the RP ID of the preview, so that no ceremony starts there.
      options: JSON.stringify({ challenge: 'AAAA', rp: { id: 'auth.example', name: 'Acme Support' } }),
      links: { choosePassword: '/forgot-password' },
    },
    'sign-up-passkey-failed': {
      form: { ...form, problems: [{ code: 'passkey_invalid' }] },
      email,
      name: 'Phone',
      token: 'Zm9v',
      options: '{}',
      links: { choosePassword: '/forgot-password' },
    },
  },
  renderCheckMail: {
    'check-mail': {
      purpose: 'sign_up',
      email,
      validitySeconds: 86_400,
      resend: form,
      links: { signIn: '/sign-in' },
    },
    'check-mail-again': {
      purpose: 'password_reset',
      email: 'a.person.with.a.remarkably.long.mail.address@department.of.examples.example.org',
      validitySeconds: 3_600,
      notice: { code: 'mail_sent' },
      resend: form,
      links: { signIn: '/sign-in' },
    },
    'check-mail-change': {
      purpose: 'email_change',
      email,
      validitySeconds: 1_800,
      links: { account: '/account' },
    },
  },
  renderVerifyEmail: { 'verify-email': { form, email, token: 'tok_8h3KQz' } },
  renderEmailVerified: {
    'email-verified': { outcome: 'verified', email, links: { goOn: '/account' } },
    'email-not-verified': { outcome: 'invalid', links: { newLink: '/sign-up/resend' } },
  },
  renderForgotPassword: {
    'forgot-password': { form, email, links: { signIn: '/sign-in' } },
    'forgot-password-wrong': {
      form: { ...form, problems: [{ field: 'email', code: 'email_missing' }] },
      links: { signIn: '/sign-in' },
    },
  },
  renderResetPassword: {
    'reset-password': { form, email, token: 'tok_8h3KQz', passwordMinLength: 10 },
  },
} satisfies Partial<Samples>;
