import type Router from '@koa/router';
import type { Context } from 'koa';
import type { CheckMailView } from '../../../pages/views/sign-in.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { type PendingMail, signInPathFor } from '../../kit/pending-mail.ts';
import { presentationOf } from '../../kit/presentation.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/**
 * Adds the page that asks users to check their mail. It looks the same, and offers to send again, whether or not a mail
 * was sent.
 */
export function addCheckMailPage(router: Router, { parts, accounts, settings }: AccountPagesOptions): void {
  const validitySeconds: Readonly<Record<CheckMailView['purpose'], number>> = {
    sign_up: settings.verificationLinkTtlSeconds,
    password_reset: settings.passwordResetLinkTtlSeconds,
    email_change: settings.emailChangeLinkTtlSeconds,
  };

  function show(ctx: Context, { purpose, email, returnTo }: PendingMail): void {
    const isSignedIn = purpose === 'email_change';
    parts.render(ctx, parts.pages.renderCheckMail, {
      purpose,
      email,
      validitySeconds: validitySeconds[purpose],
      // A change of the address requires the password, so it can be requested again only on its own form.
      resend: isSignedIn ? undefined : { action: paths.checkMail, csrf: parts.publicForms.tokenFor(ctx) },
      notice: parts.flash.take(ctx),
      links: isSignedIn ? { account: paths.account } : { signIn: signInPathFor(returnTo) },
    });
  }

  async function resend(ctx: Context, { purpose, email }: PendingMail): Promise<void> {
    const origin = originOf(ctx);
    if (purpose === 'sign_up') await accounts.requestVerification({ email }, origin);
    if (purpose === 'password_reset')
      await accounts.requestPasswordReset({ email, locale: presentationOf(ctx).language }, origin);
  }

  router.get(paths.checkMail, function showCheckMail(ctx) {
    const pending = parts.pendingMails.get(ctx);
    return pending ? show(ctx, pending) : parts.redirect(ctx, paths.signIn);
  });

  router.post(paths.checkMail, async function resendMail(ctx) {
    await parts.publicForms.read(ctx);
    const pending = parts.pendingMails.get(ctx);
    if (pending) await resend(ctx, pending);
    parts.flash.set(ctx, { code: 'mail_sent' });
    parts.redirect(ctx, paths.checkMail);
  });
}
