/** Where the pages of accounts are. */
export const paths = {
  account: '/account',
  changeName: '/account/name',
  changePassword: '/account/password',
  /** Where password managers look for it. */
  wellKnownChangePassword: '/.well-known/change-password',
  changeEmail: '/account/email',
  signOutEverywhere: '/account/sign-out-everywhere',
  connectedApplications: '/account/applications',
  verification: '/account/verification',
  signIn: '/sign-in',
  /** The library's own, which tells applications as well. */
  signOut: '/session/end',
  signUp: '/sign-up',
  checkMail: '/check-mail',
  verifyEmail: '/verify-email',
  confirmEmail: '/confirm-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
} as const;
