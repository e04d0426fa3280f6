import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';

const required = { name: { code: 'name_missing' } } as const;

/** Adds the form that changes the name that staff and authorized applications see. */
export function addChangeNamePage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  function show(ctx: Context, name?: string, rejected?: RejectedForm<'name'>): void {
    parts.render(ctx, parts.pages.renderChangeName, {
      shell: parts.shellOf(ctx),
      form: { action: paths.changeName, csrf: parts.forms.tokenFor(ctx), problems: rejected?.problems },
      name,
    });
  }

  router.get(paths.changeName, signedIn, function showChangeName(ctx) {
    show(ctx, getSignedInUser(ctx).account.profile.name);
  });

  router.post(paths.changeName, signedIn, async function changeName(ctx) {
    const form = await parts.forms.read(ctx);
    const name = form.get('name') ?? '';
    const change = { accountId: getSignedInUser(ctx).account.id, name };
    let code: 'name_changed' | 'name_changed_unverified' = 'name_changed';
    const action = async () => {
      const { isVerificationLost } = await accounts.changeName(change, originOf(ctx));
      if (isVerificationLost) code = 'name_changed_unverified';
    };
    const rejected = await submitForm({ form, required, passwordMinLength, action });
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, name, rejected);
    }
    parts.flash.set(ctx, { code });
    parts.redirect(ctx, paths.account);
  });
}
