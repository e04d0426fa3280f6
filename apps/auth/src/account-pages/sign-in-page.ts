import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { SignInView } from '../pages/views/sign-in.ts';
import { applicationsPath, invitationPath } from '../portal/paths.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { parseLocalPath, withReturnTo } from './local-path.ts';
import { openSession } from './own-session.ts';
import { paths } from './paths.ts';
import { findSignedIn } from './signed-in.ts';

/** Signing in to our own pages, without an application. */
export function addSignInPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, credentials } = options;

  function show(ctx: Context, email?: string, problems?: SignInView['form']['problems']): void {
    const returnTo = parseLocalPath(ctx.query.return_to);
    parts.write(ctx, parts.pages.renderSignIn, {
      form: { action: withReturnTo(paths.signIn, returnTo), csrf: parts.openForms.tokenFor(ctx), problems },
      email,
      purpose: purposeOf(returnTo),
      notice: parts.notices.take(ctx),
      links: {
        forgotPassword: withReturnTo(paths.forgotPassword, returnTo),
        signUp: accounts.isSignUpOpen ? withReturnTo(paths.signUp, returnTo) : undefined,
      },
    });
  }

  const goOn = (ctx: Context) => parts.goTo(ctx, parseLocalPath(ctx.query.return_to) ?? paths.account);

  router.get(paths.signIn, async (ctx) => {
    // An interaction has a sign-in page of its own, whose form may end where the application is (CSP, `form-action`).
    const isOnTheWay = parseLocalPath(ctx.query.return_to)?.startsWith('/interaction/');
    const person = await findSignedIn(provider, ctx, parts);
    return person || isOnTheWay ? goOn(ctx) : show(ctx);
  });

  router.post(paths.signIn, async (ctx) => {
    const form = await parts.openForms.read(ctx);
    const checked = await credentials.check(ctx, form);
    if (checked.account) {
      await openSession(provider, ctx, checked);
      return goOn(ctx);
    }
    ctx.status = checked.status;
    show(ctx, form.get('email') ?? '', checked.problems);
  });
}

/** Pages that mails link to, and which require a sign-in. */
const purposes = [
  [paths.verifyEmail, 'verify_email'],
  [paths.confirmEmail, 'confirm_email'],
  [invitationPath, 'invitation'],
  [applicationsPath, 'application'],
] as const;

function purposeOf(returnTo: string | undefined): SignInView['purpose'] {
  const path = returnTo?.split('?')[0];
  return purposes.find(([page]) => path === page || path?.startsWith(`${page}/`))?.[1];
}
