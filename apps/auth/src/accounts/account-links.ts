/**
 * URLs in mails. A link with a token must open a page with a button, because mail scanners follow links automatically.
 */
export interface AccountLinks {
  verifyEmail(token: string): string;
  resetPassword(token: string): string;
  changeEmail(token: string): string;
  signIn(): string;
  requestPasswordReset(): string;
}
