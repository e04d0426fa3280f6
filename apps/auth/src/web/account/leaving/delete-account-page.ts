import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { DeleteAccountView } from '../../../pages/views/leaving.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireFreshAuthentication, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

const ONE_DAY_MS = 86_400_000;

/** Adds the page on which users delete their account. It requires a fresh authentication. */
export function addDeleteAccountPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings, now } = options;
  const steps = [requireSignedIn(provider, parts), requireFreshAuthentication] as const;

  function show(ctx: Context, problems?: DeleteAccountView['form']['problems']): void {
    parts.render(ctx, parts.pages.renderDeleteAccount, {
      shell: parts.shellOf(ctx),
      form: { action: paths.deleteAccount, csrf: parts.forms.tokenFor(ctx), problems },
      day: new Date(now().getTime() + settings.accountDeletionDays * ONE_DAY_MS),
      links: { cancel: paths.account, downloadData: paths.downloadData },
    });
  }

  router.get(paths.deleteAccount, ...steps, function showDeleteAccount(ctx) {
    show(ctx);
  });

  router.post(paths.deleteAccount, ...steps, async function deleteAccount(ctx) {
    await parts.forms.read(ctx);
    try {
      const { id } = getSignedInUser(ctx).account;
      await accounts.requestDeletion(id, originOf(ctx));
      parts.flash.set(ctx, { code: 'deletion_requested' });
      return parts.redirect(ctx, paths.signIn);
    } catch (err) {
      if (!(err instanceof AppError) || err.code !== 'forbidden') throw err;
      ctx.status = err.status;
      return show(ctx, [{ code: 'last_administrator' }]);
    }
  });
}
