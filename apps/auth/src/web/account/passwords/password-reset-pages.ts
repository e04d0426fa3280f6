import type Router from '@koa/router';
import type { Context } from 'koa';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { asString } from '../../kit/interaction.ts';
import { parseLocalPath, withReturnTo } from '../../kit/local-path.ts';
import { originOf } from '../../kit/origin.ts';
import { signInPathFor } from '../../kit/pending-mail.ts';
import { presentationOf } from '../../kit/presentation.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

const emailRequired = { email: { code: 'email_missing' } } as const;
const passwordRequired = { password: { code: 'password_missing' } } as const;

/** Adds the form that requests a password reset. The response is the same whether or not the account exists. */
export function addForgotPasswordPage(
  router: Router,
  { parts, accounts, settings }: AccountPagesOptions,
): void {
  const { passwordMinLength } = settings;

  function show(ctx: Context, email?: string, rejected?: RejectedForm<'email'>): void {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const action = withReturnTo(paths.forgotPassword, returnTo);
    parts.render(ctx, parts.pages.renderForgotPassword, {
      form: { action, csrf: parts.publicForms.tokenFor(ctx), problems: rejected?.problems },
      email,
      links: { signIn: signInPathFor(returnTo) },
    });
  }

  router.get(paths.forgotPassword, function showForgotPassword(ctx) {
    show(ctx);
  });

  router.post(paths.forgotPassword, async function requestPasswordReset(ctx) {
    const form = await parts.publicForms.read(ctx);
    const email = form.get('email') ?? '';
    const locale = presentationOf(ctx).language;
    const action = () => accounts.requestPasswordReset({ email, locale }, originOf(ctx));
    const rejected = await submitForm({ form, required: emailRequired, passwordMinLength, action });
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, email, rejected);
    }
    const returnTo = parseLocalPath(ctx.query.return_to);
    parts.pendingMails.set(ctx, { purpose: 'password_reset', email, returnTo });
    parts.redirect(ctx, paths.checkMail);
  });
}

/** Adds the page that the mailed link opens. Only the form redeems the token, not opening the page. */
export function addResetPasswordPage(router: Router, options: AccountPagesOptions): void {
  const { parts, accounts, credentials } = options;
  const { passwordMinLength } = options.settings;

  async function show(ctx: Context, token: string, rejected?: RejectedForm<'password'>): Promise<void> {
    const { email } = await accounts.inspectPasswordReset(token);
    const form = { action: paths.resetPassword, csrf: parts.publicForms.tokenFor(ctx) };
    parts.render(ctx, parts.pages.renderResetPassword, {
      form: { ...form, problems: rejected?.problems },
      email,
      token,
      passwordMinLength,
    });
  }

  async function reset(ctx: Context, token: string, newPassword: string): Promise<void> {
    const deviceCookie = credentials.deviceOf(ctx);
    const done = await accounts.resetPassword({ token, newPassword, deviceCookie }, originOf(ctx));
    credentials.rememberDevice(ctx, done.deviceCookie);
  }

  router.get(paths.resetPassword, function showResetPassword(ctx) {
    return show(ctx, asString(ctx.query.token) ?? '');
  });

  router.post(paths.resetPassword, async function resetPassword(ctx) {
    const form = await parts.publicForms.read(ctx);
    const token = form.get('token') ?? '';
    const action = () => reset(ctx, token, form.get('password') ?? '');
    const rejected = await submitForm({ form, required: passwordRequired, passwordMinLength, action });
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, token, rejected);
    }
    const returnTo = parts.pendingMails.get(ctx)?.returnTo;
    parts.pendingMails.clear(ctx);
    parts.flash.set(ctx, { code: 'password_reset' });
    parts.redirect(ctx, withReturnTo(paths.signIn, returnTo));
  });
}
