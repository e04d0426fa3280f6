import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { asString } from '../../kit/interaction.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/**
 * Adds the page that a verification link opens and the page that sends a new link. Both require a session. The link
 * shows a button, because mail scanners open every link.
 */
export function addVerificationPages(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { pages, forms, pendingMails } = parts;
  const signedIn = requireSignedIn(provider, parts);

  router.get(paths.verifyEmail, signedIn, function showVerifyEmail(ctx) {
    const { email, emailVerified } = getSignedInUser(ctx).account;
    if (emailVerified) return parts.redirect(ctx, paths.account);
    const token = asString(ctx.query.token) ?? '';
    const form = { action: paths.verifyEmail, csrf: forms.tokenFor(ctx) };
    parts.render(ctx, pages.renderVerifyEmail, { form, email, token });
  });

  router.post(paths.verifyEmail, signedIn, async function verifyEmail(ctx) {
    const form = await forms.read(ctx);
    const { id: accountId, email, emailVerified } = getSignedInUser(ctx).account;
    if (emailVerified) return parts.redirect(ctx, paths.account);
    await accounts.verifyEmail({ token: form.get('token') ?? '', accountId }, originOf(ctx));
    const goOn = pendingMails.get(ctx)?.returnTo ?? paths.account;
    pendingMails.clear(ctx);
    parts.render(ctx, pages.renderEmailVerified, { outcome: 'verified', email, links: { goOn } });
  });

  router.get(paths.verification, signedIn, function showVerification(ctx) {
    const { email, emailVerified } = getSignedInUser(ctx).account;
    if (emailVerified) return parts.redirect(ctx, paths.account);
    parts.render(ctx, pages.renderCheckMail, {
      purpose: 'sign_up',
      email,
      validitySeconds: settings.verificationLinkTtlSeconds,
      resend: { action: paths.verification, csrf: forms.tokenFor(ctx) },
      notice: parts.flash.take(ctx),
      links: { account: paths.account },
    });
  });

  router.post(paths.verification, signedIn, async function resendVerification(ctx) {
    await forms.read(ctx);
    await accounts.resendVerification(getSignedInUser(ctx).account.id, originOf(ctx));
    parts.flash.set(ctx, { code: 'mail_sent' });
    parts.redirect(ctx, paths.verification);
  });
}
