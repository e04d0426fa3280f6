import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { originOf } from '../kit/origin.ts';
import { getSignedInUser, requireSignedIn } from '../kit/signed-in.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { paths } from './paths.ts';

/** Adds the form of the account page that ends every session, including that of this browser. */
export function addSignOutEverywhereForm(
  router: Router,
  provider: Provider,
  { parts, accounts }: AccountPagesOptions,
): void {
  router.post(
    paths.signOutEverywhere,
    requireSignedIn(provider, parts),
    async function signOutEverywhere(ctx) {
      await parts.forms.read(ctx);
      await accounts.signOutEverywhere(getSignedInUser(ctx).account.id, originOf(ctx));
      parts.flash.set(ctx, { code: 'signed_out_everywhere' });
      parts.redirect(ctx, paths.signIn);
    },
  );
}
