import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { findLeavingUser } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the only page for users whose account will be deleted: they can keep it. */
export function addKeepAccountPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts } = options;

  router.get(paths.keepAccount, async function showKeepAccount(ctx: Context) {
    const user = await findLeavingUser(provider, ctx, parts);
    if (!user) return parts.redirect(ctx, paths.account);
    const { email, deletionDueAt } = user.account;
    parts.render(ctx, parts.pages.renderKeepAccount, {
      form: { action: paths.keepAccount, csrf: parts.publicForms.tokenFor(ctx) },
      email,
      day: deletionDueAt,
      links: { signOut: paths.signOut },
    });
  });

  router.post(paths.keepAccount, async function keepAccount(ctx: Context) {
    await parts.publicForms.read(ctx);
    const user = await findLeavingUser(provider, ctx, parts);
    if (user) {
      const { id, credentialEpoch } = user.account;
      await accounts.keepAccount(id, credentialEpoch, originOf(ctx));
      parts.flash.set(ctx, { code: 'account_kept' });
    }
    parts.redirect(ctx, paths.account);
  });
}
