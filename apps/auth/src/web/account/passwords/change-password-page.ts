import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { findUpstreamSession } from '../../../artifacts/upstream-sessions.ts';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, openSession, requireFreshFactor, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

type Field = 'current_password' | 'new_password';

const required = {
  current_password: { code: 'password_missing' },
  new_password: { code: 'password_missing' },
} as const;

/** Adds the form that changes the password. It requires the current one and ends all other sessions and grants. */
export function addChangePasswordPage(
  router: Router,
  provider: Provider,
  options: AccountPagesOptions,
): void {
  const { parts, accounts, credentials, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  async function show(ctx: Context, rejected?: RejectedForm<Field>): Promise<void> {
    const canRemove = await accounts.canRemovePassword(getSignedInUser(ctx).account.id);
    parts.render(ctx, parts.pages.renderChangePassword, {
      shell: parts.shellOf(ctx),
      form: {
        action: paths.changePassword,
        csrf: parts.forms.tokenFor(ctx),
        problems: rejected?.problems,
      },
      passwordMinLength,
      notice: parts.flash.take(ctx),
      links: { remove: canRemove ? paths.removePassword : undefined },
    });
  }

  async function change(ctx: Context, form: URLSearchParams): Promise<void> {
    const { account: user, session } = getSignedInUser(ctx);
    const [currentPassword, newPassword] = [
      form.get('current_password') ?? '',
      form.get('new_password') ?? '',
    ];
    const passwords = { accountId: user.id, currentPassword, newPassword };
    const account = await accounts.changePassword(passwords, originOf(ctx));
    // All sessions have ended, including that of this browser; this opens one at the new credential epoch.
    const changedAt = account.passwordChangedAt ?? account.updatedAt;
    const loginTs = Math.floor(changedAt.getTime() / 1000);
    const upstream = findUpstreamSession(session);
    await openSession(provider, ctx, { account, methods: session.amr ?? ['pwd'], loginTs, upstream });
    credentials.keepDevice(ctx, { before: user, after: account });
  }

  router.get(paths.changePassword, signedIn, requireFreshFactor, function showChangePassword(ctx) {
    if (getSignedInUser(ctx).account.passwordHash === null) return parts.redirect(ctx, paths.forgotPassword);
    return show(ctx);
  });
  router.get(paths.wellKnownChangePassword, function redirectToChangePassword(ctx) {
    parts.redirect(ctx, paths.changePassword);
  });

  router.post(paths.changePassword, signedIn, requireFreshFactor, async function changePassword(ctx) {
    const form = await parts.forms.read(ctx);
    const password = form.get('new_password') ?? '';
    const validate = () => accounts.validate({ password, email: getSignedInUser(ctx).account.email });
    const action = () => change(ctx, form);
    const rejected = await submitForm({
      form,
      required,
      passwordField: 'new_password',
      passwordMinLength,
      validate,
      action,
    });
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, rejected);
    }
    parts.flash.set(ctx, { code: 'password_changed' });
    parts.redirect(ctx, paths.account);
  });
}
