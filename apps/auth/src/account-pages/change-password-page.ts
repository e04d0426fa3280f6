import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { originOf } from '../interactions/origin.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { attempt, type Refusal } from './form-problems.ts';
import { openSession } from './own-session.ts';
import { paths } from './paths.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

type Field = 'current_password' | 'new_password';

const required = {
  current_password: { code: 'password_missing' },
  new_password: { code: 'password_missing' },
} as const;

/** Another password, for who knows the current one. Everybody else is signed out, and every application. */
export function addChangePasswordPage(
  router: Router,
  provider: Provider,
  options: AccountPagesOptions,
): void {
  const { parts, accounts, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  function show(ctx: Context, refusal?: Refusal<Field>): void {
    parts.write(ctx, parts.pages.renderChangePassword, {
      shell: parts.shellOf(ctx),
      form: {
        action: paths.changePassword,
        csrf: parts.forms.tokenFor(ctx),
        problems: refusal?.problems,
      },
      passwordMinLength,
    });
  }

  async function change(ctx: Context, form: URLSearchParams): Promise<void> {
    const [currentPassword, newPassword] = [
      form.get('current_password') ?? '',
      form.get('new_password') ?? '',
    ];
    const passwords = { accountId: signedInOf(ctx).account.id, currentPassword, newPassword };
    const account = await accounts.changePassword(passwords, originOf(ctx));
    // The session of this browser has ended with all others; this one is bound to the new epoch of the account.
    const changedAt = account.passwordChangedAt ?? account.updatedAt;
    await openSession(provider, ctx, { account, loginTs: Math.floor(changedAt.getTime() / 1000) });
  }

  router.get(paths.changePassword, signedIn, (ctx) => show(ctx));
  router.get(paths.wellKnownChangePassword, (ctx) => parts.goTo(ctx, paths.changePassword));

  router.post(paths.changePassword, signedIn, async (ctx) => {
    const form = await parts.forms.read(ctx);
    const password = form.get('new_password') ?? '';
    const findFaults = () => accounts.validate({ password, email: signedInOf(ctx).account.email });
    const action = () => change(ctx, form);
    const refusal = await attempt({
      form,
      required,
      passwordField: 'new_password',
      passwordMinLength,
      findFaults,
      action,
    });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, refusal);
    }
    parts.notices.leave(ctx, { code: 'password_changed' });
    parts.goTo(ctx, paths.account);
  });
}
