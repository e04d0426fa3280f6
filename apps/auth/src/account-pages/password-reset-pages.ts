import type Router from '@koa/router';
import type { Context } from 'koa';
import { asString } from '../interactions/interaction.ts';
import { originOf } from '../interactions/origin.ts';
import { presentationOf } from '../interactions/presentation.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { attempt, type Refusal } from './form-problems.ts';
import { parseLocalPath, withReturnTo } from './local-path.ts';
import { paths } from './paths.ts';
import { signInPathFor } from './pending-mail.ts';

const emailRequired = { email: { code: 'email_missing' } } as const;
const passwordRequired = { password: { code: 'password_missing' } } as const;

/** Asking for a mail that leads to another password. The answer is the same whether or not there is an account. */
export function addForgotPasswordPage(
  router: Router,
  { parts, accounts, settings }: AccountPagesOptions,
): void {
  const { passwordMinLength } = settings;

  function show(ctx: Context, email?: string, refusal?: Refusal<'email'>): void {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const action = withReturnTo(paths.forgotPassword, returnTo);
    parts.write(ctx, parts.pages.renderForgotPassword, {
      form: { action, csrf: parts.openForms.tokenFor(ctx), problems: refusal?.problems },
      email,
      links: { signIn: signInPathFor(returnTo) },
    });
  }

  router.get(paths.forgotPassword, (ctx) => show(ctx));

  router.post(paths.forgotPassword, async (ctx) => {
    const form = await parts.openForms.read(ctx);
    const email = form.get('email') ?? '';
    const locale = presentationOf(ctx).language;
    const action = () => accounts.requestPasswordReset({ email, locale }, originOf(ctx));
    const refusal = await attempt({ form, required: emailRequired, passwordMinLength, action });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, email, refusal);
    }
    const returnTo = parseLocalPath(ctx.query.return_to);
    parts.pendingMails.set(ctx, { purpose: 'password_reset', email, returnTo });
    parts.goTo(ctx, paths.checkMail);
  });
}

/** Where the link in that mail leads. The token is used up by the form, never by opening the page. */
export function addResetPasswordPage(router: Router, options: AccountPagesOptions): void {
  const { parts, accounts, credentials } = options;
  const { passwordMinLength } = options.settings;

  async function show(ctx: Context, token: string, refusal?: Refusal<'password'>): Promise<void> {
    const { email } = await accounts.inspectPasswordReset(token);
    const form = { action: paths.resetPassword, csrf: parts.openForms.tokenFor(ctx) };
    parts.write(ctx, parts.pages.renderResetPassword, {
      form: { ...form, problems: refusal?.problems },
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

  router.get(paths.resetPassword, (ctx) => show(ctx, asString(ctx.query.token) ?? ''));

  router.post(paths.resetPassword, async (ctx) => {
    const form = await parts.openForms.read(ctx);
    const token = form.get('token') ?? '';
    const action = () => reset(ctx, token, form.get('password') ?? '');
    const refusal = await attempt({ form, required: passwordRequired, passwordMinLength, action });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, token, refusal);
    }
    const returnTo = parts.pendingMails.get(ctx)?.returnTo;
    parts.pendingMails.clear(ctx);
    parts.notices.leave(ctx, { code: 'password_reset' });
    parts.goTo(ctx, withReturnTo(paths.signIn, returnTo));
  });
}
