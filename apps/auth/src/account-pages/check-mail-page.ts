import type Router from '@koa/router';
import type { Context } from 'koa';
import { originOf } from '../interactions/origin.ts';
import { presentationOf } from '../interactions/presentation.ts';
import type { CheckMailView } from '../pages/views/sign-in.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { paths } from './paths.ts';
import { type PendingMail, signInPathFor } from './pending-mail.ts';

/** Where people wait for a mail. It says the same, and sends as willingly once more, whether or not one was sent. */
export function addCheckMailPage(router: Router, { parts, accounts, settings }: AccountPagesOptions): void {
  const validitySeconds: Readonly<Record<CheckMailView['purpose'], number>> = {
    sign_up: settings.verificationLinkTtlSeconds,
    password_reset: settings.passwordResetLinkTtlSeconds,
    email_change: settings.emailChangeLinkTtlSeconds,
  };

  function show(ctx: Context, { purpose, email, returnTo }: PendingMail): void {
    const isSignedIn = purpose === 'email_change';
    parts.write(ctx, parts.pages.renderCheckMail, {
      purpose,
      email,
      validitySeconds: validitySeconds[purpose],
      // Another address is asked for with the password, so only where the password is.
      resend: isSignedIn ? undefined : { action: paths.checkMail, csrf: parts.openForms.tokenFor(ctx) },
      notice: parts.notices.take(ctx),
      links: isSignedIn ? { account: paths.account } : { signIn: signInPathFor(returnTo) },
    });
  }

  async function resend(ctx: Context, { purpose, email }: PendingMail): Promise<void> {
    const origin = originOf(ctx);
    if (purpose === 'sign_up') await accounts.requestVerification({ email }, origin);
    if (purpose === 'password_reset')
      await accounts.requestPasswordReset({ email, locale: presentationOf(ctx).language }, origin);
  }

  router.get(paths.checkMail, (ctx) => {
    const pending = parts.pendingMails.get(ctx);
    return pending ? show(ctx, pending) : parts.goTo(ctx, paths.signIn);
  });

  router.post(paths.checkMail, async (ctx) => {
    await parts.openForms.read(ctx);
    const pending = parts.pendingMails.get(ctx);
    if (pending) await resend(ctx, pending);
    parts.notices.leave(ctx, { code: 'mail_sent' });
    parts.goTo(ctx, paths.checkMail);
  });
}
