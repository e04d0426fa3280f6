import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { asString } from '../interactions/interaction.ts';
import { originOf } from '../interactions/origin.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { paths } from './paths.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

/**
 * Confirming the address of an account: where the link in the mail leads, and where people get a new one. Both are
 * for who is signed in; the link itself shows a button, for programs that check mail open every link.
 */
export function addVerificationPages(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { pages, forms, pendingMails } = parts;
  const signedIn = requireSignedIn(provider, parts);

  router.get(paths.verifyEmail, signedIn, (ctx) => {
    const { email, emailVerified } = signedInOf(ctx).account;
    if (emailVerified) return parts.goTo(ctx, paths.account);
    const token = asString(ctx.query.token) ?? '';
    const form = { action: paths.verifyEmail, csrf: forms.tokenFor(ctx) };
    parts.write(ctx, pages.renderVerifyEmail, { form, email, token });
  });

  router.post(paths.verifyEmail, signedIn, async (ctx) => {
    const form = await forms.read(ctx);
    const { id: accountId, email, emailVerified } = signedInOf(ctx).account;
    if (emailVerified) return parts.goTo(ctx, paths.account);
    await accounts.verifyEmail({ token: form.get('token') ?? '', accountId }, originOf(ctx));
    const goOn = pendingMails.get(ctx)?.returnTo ?? paths.account;
    pendingMails.clear(ctx);
    parts.write(ctx, pages.renderEmailVerified, { outcome: 'verified', email, links: { goOn } });
  });

  router.get(paths.verification, signedIn, (ctx) => {
    const { email, emailVerified } = signedInOf(ctx).account;
    if (emailVerified) return parts.goTo(ctx, paths.account);
    parts.write(ctx, pages.renderCheckMail, {
      purpose: 'sign_up',
      email,
      validitySeconds: settings.verificationLinkTtlSeconds,
      resend: { action: paths.verification, csrf: forms.tokenFor(ctx) },
      notice: parts.notices.take(ctx),
      links: { account: paths.account },
    });
  });

  router.post(paths.verification, signedIn, async (ctx) => {
    await forms.read(ctx);
    await accounts.resendVerification(signedInOf(ctx).account.id, originOf(ctx));
    parts.notices.leave(ctx, { code: 'mail_sent' });
    parts.goTo(ctx, paths.verification);
  });
}
