import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { originOf } from '../interactions/origin.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { paths } from './paths.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

/** Handles the form on the account page that ends every sign-in, that of this browser too. */
export function addSignOutEverywhereForm(
  router: Router,
  provider: Provider,
  { parts, accounts }: AccountPagesOptions,
): void {
  router.post(paths.signOutEverywhere, requireSignedIn(provider, parts), async (ctx) => {
    await parts.forms.read(ctx);
    await accounts.signOutEverywhere(signedInOf(ctx).account.id, originOf(ctx));
    parts.notices.leave(ctx, { code: 'signed_out_everywhere' });
    parts.goTo(ctx, paths.signIn);
  });
}
