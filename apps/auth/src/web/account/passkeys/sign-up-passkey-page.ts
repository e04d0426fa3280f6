import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { asString } from '../../kit/interaction.ts';
import { originOf } from '../../kit/origin.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

const required = { passkey_name: { code: 'name_missing' } } as const;

/** Adds the page that the mailed link of a sign-up without a password opens. Only its form redeems the token. */
export function addSignUpPasskeyPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, completion } = options;
  const { passwordMinLength } = options.settings;

  async function show(
    ctx: Context,
    form: URLSearchParams,
    rejected?: RejectedForm<'passkey_name'>,
  ): Promise<void> {
    const token = form.get('token') ?? '';
    const account = await accounts.inspectPasskeySignUp(token);
    const csrf = parts.publicForms.tokenFor(ctx);
    const creation = await accounts.offerPasskey(account, csrf);
    if (creation === undefined) return parts.redirect(ctx, paths.forgotPassword);
    parts.render(ctx, parts.pages.renderSignUpPasskey, {
      form: { action: paths.signUpPasskey, csrf, problems: rejected?.problems },
      email: account.email,
      name: form.get('passkey_name') ?? undefined,
      token,
      options: creation,
      links: { choosePassword: paths.forgotPassword },
    });
  }

  /** Creates the passkey and signs in with it, which the authenticator has just confirmed. */
  async function complete(ctx: Context, form: URLSearchParams): Promise<void> {
    const textOf = (field: string) => form.get(field) ?? '';
    const [token, name, response] = [textOf('token'), textOf('passkey_name'), textOf('passkey')];
    const passkey = { token, name, response, formToken: textOf('csrf') };
    const created = await accounts.completePasskeySignUp(passkey, originOf(ctx));
    const loginTs = Math.floor(created.account.updatedAt.getTime() / 1000);
    const returnTo = parts.pendingMails.get(ctx)?.returnTo;
    parts.pendingMails.clear(ctx);
    await completion.open(provider, ctx, { ...created, loginTs }, { returnTo });
    parts.flash.set(ctx, { code: 'passkey_added', values: { name: created.name } });
  }

  router.get(paths.signUpPasskey, function showSignUpPasskey(ctx) {
    return show(ctx, new URLSearchParams({ token: asString(ctx.query.token) ?? '' }));
  });

  router.post(paths.signUpPasskey, async function signUpWithPasskey(ctx) {
    const form = await parts.publicForms.read(ctx);
    const rejected = await submitForm({
      form,
      required,
      passwordMinLength,
      action: () => complete(ctx, form),
    });
    if (!rejected) return;
    ctx.status = rejected.status;
    return show(ctx, form, rejected);
  });
}
