import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { findUpstreamSession } from '../../../artifacts/upstream-sessions.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import {
  getSignedInUser,
  openSession,
  requireFreshAuthentication,
  requireSignedIn,
} from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the page on which users remove their password, if they can sign in otherwise. It ends all other sessions. */
export function addRemovePasswordPage(
  router: Router,
  provider: Provider,
  { parts, accounts, credentials }: AccountPagesOptions,
): void {
  const steps = [requireSignedIn(provider, parts), requireFreshAuthentication] as const;

  function refuse(ctx: Context): void {
    parts.flash.set(ctx, { code: 'password_last' });
    parts.redirect(ctx, paths.changePassword);
  }

  router.get(paths.removePassword, ...steps, async function showRemovePassword(ctx) {
    if (!(await accounts.canRemovePassword(getSignedInUser(ctx).account.id))) return refuse(ctx);
    parts.render(ctx, parts.pages.renderRemovePassword, {
      shell: parts.shellOf(ctx),
      form: { action: paths.removePassword, csrf: parts.forms.tokenFor(ctx) },
      links: { cancel: paths.changePassword },
    });
  });

  router.post(paths.removePassword, ...steps, async function removePassword(ctx) {
    await parts.forms.read(ctx);
    const { account: user, session } = getSignedInUser(ctx);
    try {
      const account = await accounts.removePassword(user.id, originOf(ctx));
      // All sessions have ended, including that of this browser; this opens one at the new credential epoch.
      const upstream = findUpstreamSession(session);
      const { amr: methods = [], loginTs = 0 } = session;
      await openSession(provider, ctx, { account, methods, loginTs, upstream });
      credentials.keepDevice(ctx, { before: user, after: account });
    } catch (err) {
      if (err instanceof AppError && err.code === 'conflict') return refuse(ctx);
      throw err;
    }
    parts.flash.set(ctx, { code: 'password_removed' });
    parts.redirect(ctx, paths.account);
  });
}
