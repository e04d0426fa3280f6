/** Where mails lead to. A link with a token must open a page with a button: mail scanners follow links by themselves. */
export interface AccountLinks {
  verifyEmail(token: string): string;
  resetPassword(token: string): string;
  changeEmail(token: string): string;
  signIn(): string;
  requestPasswordReset(): string;
}
