import Router from '@koa/router';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../account/paths.ts';
import { getSignedInUser, requireSignedIn } from '../kit/signed-in.ts';
import { addEditPage, addRegisterPage } from './application-form-pages.ts';
import { addApplicationPage, addListPage, addRemovePage, addSecretForms } from './application-pages.ts';
import { addInvitationPage } from './invitation-page.ts';
import { addLogoForms } from './logo-forms.ts';
import { addOwnerForms } from './owner-forms.ts';
import { applicationsPath, invitationPath } from './paths.ts';
import type { PortalOptions } from './portal-options.ts';
import { addTrustForms } from './trust-forms.ts';

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
