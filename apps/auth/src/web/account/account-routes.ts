import Router from '@koa/router';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { addDeleteAccountPage } from './leaving/delete-account-page.ts';
import { addDownloadDataPage } from './leaving/download-data-page.ts';
import { addKeepAccountPage } from './leaving/keep-account-page.ts';
import { addPasskeyPages } from './passkeys/passkey-pages.ts';
import { addSignUpPasskeyPage } from './passkeys/sign-up-passkey-page.ts';
import { addChangePasswordPage } from './passwords/change-password-page.ts';
import { addForgotPasswordPage, addResetPasswordPage } from './passwords/password-reset-pages.ts';
import { addRemovePasswordPage } from './passwords/remove-password-page.ts';
import { addAccountPage, addSignOutEverywhereForm } from './profile/account-page.ts';
import type { AccountPagesOptions } from './profile/account-pages-options.ts';
import { addChangeEmailPage, addConfirmEmailPage } from './profile/change-email-pages.ts';
import { addChangeNamePage } from './profile/change-name-page.ts';
import { addConnectedApplicationsPage } from './sessions/connected-applications-page.ts';
import { addDisownPage } from './sessions/disown-page.ts';
import { addSessionsPage } from './sessions/sessions-page.ts';
import { addCheckMailPage } from './sign-in/check-mail-page.ts';
import { addSecondFactorPage } from './sign-in/second-factor-page.ts';
import { addSignInPage } from './sign-in/sign-in-page.ts';
import { addSignUpPage } from './sign-in/sign-up-page.ts';
import { addVerificationPages } from './sign-in/verification-pages.ts';
import { addTwoStepPages } from './two-step/two-step-pages.ts';

/** Creates the routes for sign-up, sign-in and the account pages. */
export function createAccountRoutes(provider: Provider, options: AccountPagesOptions): Middleware {
  const router = new Router();
  router.use(options.parts.errorPages);
  addSignInPage(router, provider, options);
  addSecondFactorPage(router, provider, options);
  addSignUpPage(router, provider, options);
  addCheckMailPage(router, options);
  addVerificationPages(router, provider, options);
  addForgotPasswordPage(router, options);
  addResetPasswordPage(router, options);
  addAccountPage(router, provider, options);
  addChangeNamePage(router, provider, options);
  addChangePasswordPage(router, provider, options);
  addRemovePasswordPage(router, provider, options);
  addChangeEmailPage(router, provider, options);
  addConfirmEmailPage(router, provider, options);
  addPasskeyPages(router, provider, options);
  addSignUpPasskeyPage(router, provider, options);
  addDownloadDataPage(router, provider, options);
  addDeleteAccountPage(router, provider, options);
  addKeepAccountPage(router, provider, options);
  addTwoStepPages(router, provider, options);
  addSignOutEverywhereForm(router, provider, options);
  addSessionsPage(router, provider, options);
  addDisownPage(router, options);
  addConnectedApplicationsPage(router, provider, options);
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}
