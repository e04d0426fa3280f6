import Router from '@koa/router';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../kit/account-paths.ts';
import { getSignedInUser, requireSignedIn } from '../kit/signed-in.ts';
import { addEditPage, addRegisterPage } from './forms/application-form-pages.ts';
import { addLogoForms } from './forms/logo-forms.ts';
import { addOwnerForms } from './forms/owner-forms.ts';
import { addTrustForms } from './forms/trust-forms.ts';
import { addApplicationPage, addListPage, addRemovePage, addSecretForms } from './pages/application-pages.ts';
import { addInvitationPage } from './pages/invitation-page.ts';
import { applicationsPath, invitationPath } from './portal/paths.ts';
import type { PortalOptions } from './portal/portal-options.ts';

/** Creates the pages on which developers register and manage their applications. */
export function createPortalRoutes(provider: Provider, options: PortalOptions): Middleware {
  const { parts } = options;
  const router = new Router();
  router.use(parts.errorPages);
  router.use(
    [applicationsPath, invitationPath],
    requireSignedIn(provider, parts),
    requireVerifiedAddress(parts),
  );
  addListPage(router, options);
  addRegisterPage(router, options);
  addApplicationPage(router, options);
  addEditPage(router, options);
  addLogoForms(router, options);
  addSecretForms(router, options);
  addTrustForms(router, options);
  addOwnerForms(router, options);
  addInvitationPage(router, options);
  addRemovePage(router, options);
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

/** Requires a verified e-mail address, because consent pages show it as the owner of an application. */
function requireVerifiedAddress({ redirect, pendingMails }: PortalOptions['parts']): Middleware {
  return async function requireAddress(ctx, next) {
    const { email, emailVerified } = getSignedInUser(ctx).account;
    if (emailVerified) return next();
    // The verification page returns to this URL.
    if (ctx.method === 'GET') pendingMails.set(ctx, { purpose: 'sign_up', email, returnTo: ctx.url });
    redirect(ctx, paths.verification);
  };
}
