import Router from '@koa/router';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { addAccountPage } from './account-page.ts';
import type { PageParts } from './page-parts.ts';
import { addSignInPage, type SignInPageOptions } from './sign-in-page.ts';

export interface AccountRoutesOptions extends SignInPageOptions {
  parts: PageParts;
}

/** The pages on which people come by an account and look after it. */
export function createAccountRoutes(provider: Provider, options: AccountRoutesOptions): Middleware {
  const { parts } = options;
  const router = new Router();
  router.use(parts.errorPages);
  addSignInPage(router, provider, options);
  addAccountPage(router, provider, parts);
  // The router adds what its type asks of the context.
  return router.routes() as unknown as Middleware;
}
