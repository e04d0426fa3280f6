import { keepAccountPath } from './signed-in.ts';

/** Paths of the account pages. */
export const paths = {
  account: '/account',
  changeName: '/account/name',
  changePassword: '/account/password',
  removePassword: '/account/password/remove',
  /** Well-known URL that password managers use. */
  wellKnownChangePassword: '/.well-known/change-password',
  changeEmail: '/account/email',
  passkeys: '/account/passkeys',
  newPasskey: '/account/passkeys/new',
  /** Well-known URL of WebAuthn (Level 3 §5.11.1). */
  wellKnownWebauthn: '/.well-known/webauthn',
  downloadData: '/account/data',
  deleteAccount: '/account/delete',
  keepAccount: keepAccountPath,
  twoStep: '/account/two-step',
  setUpTotp: '/account/two-step/app',
  trustedDevices: '/account/two-step/devices',
  signOutEverywhere: '/account/sign-out-everywhere',
  sessions: '/account/sessions',
  connectedApplications: '/account/applications',
  verification: '/account/verification',
  signIn: '/sign-in',
  secondFactor: '/sign-in/second-factor',
  /** End-session endpoint of oidc-provider, which also notifies clients. */
  signOut: '/session/end',
  signUp: '/sign-up',
  signUpPasskey: '/sign-up/passkey',
  checkMail: '/check-mail',
  verifyEmail: '/verify-email',
  confirmEmail: '/confirm-email',
  forgotPassword: '/forgot-password',
  /** Page that the mail about a sign-in from a new device opens. */
  disownSignIn: '/not-me',
  resetPassword: '/reset-password',
} as const;
