import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { SignInView } from '../../../pages/views/sign-in.ts';
import { applicationsPath, invitationPath } from '../../developer/portal/paths.ts';
import { paths } from '../../kit/account-paths.ts';
import { parseLocalPath, withReturnTo } from '../../kit/local-path.ts';
import { setPageHeaders } from '../../kit/page-headers.ts';
import { findLeavingUser, findSignedInUser, isFresh, reauthenticationPath } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the sign-in page of the account pages and the developer portal. */
export function addSignInPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, credentials, completion, providerButtons } = options;

  function show(ctx: Context, email?: string, problems?: SignInView['form']['problems']): void {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const isAgain = returnTo !== undefined && isAskedAgain(ctx);
    const action = isAgain ? reauthenticationPath(returnTo) : withReturnTo(paths.signIn, returnTo);
    const csrf = parts.publicForms.tokenFor(ctx);
    parts.render(ctx, parts.pages.renderSignIn, {
      form: { action, csrf, problems },
      passkeyRequest: accounts.offerPasskeySignIn(csrf),
      email,
      purpose: purposeOf(returnTo),
      isAgain,
      providers: providerButtons.list({ returnTo, isAgain }),
      notice: parts.flash.take(ctx),
      links: {
        forgotPassword: withReturnTo(paths.forgotPassword, returnTo),
        signUp: accounts.isSignUpOpen && !isAgain ? withReturnTo(paths.signUp, returnTo) : undefined,
      },
    });
    // The typed address may lead to a provider.
    setPageHeaders(ctx, { providerUrls: providerButtons.homeIssuers });
  }

  /** Returns the path to the provider of the typed address. */
  function findHome(ctx: Context, loginHint: string): string | undefined {
    const found = providerButtons.findByHint({ login: loginHint });
    const isAgain = isAskedAgain(ctx);
    if (!found || (isAgain && !found.canReauthenticate)) return undefined;
    return providerButtons.pathTo(found, {
      returnTo: parseLocalPath(ctx.query.return_to),
      isAgain,
      loginHint,
    });
  }

  const continueTo = (ctx: Context) =>
    parts.redirect(ctx, parseLocalPath(ctx.query.return_to) ?? paths.account);

  router.get(paths.signIn, async function showSignIn(ctx) {
    // An interaction has a sign-in page of its own, whose CSP `form-action` allows the redirect to the application.
    const isInInteraction = parseLocalPath(ctx.query.return_to)?.startsWith('/interaction/');
    const user = await findSignedInUser(provider, ctx, parts);
    if (isInInteraction) return continueTo(ctx);
    if (!user) {
      const isLeaving = await findLeavingUser(provider, ctx, parts);
      return isLeaving ? parts.redirect(ctx, paths.keepAccount) : show(ctx);
    }
    return isAskedAgain(ctx) && !isFresh(user) ? show(ctx, user.account.email) : continueTo(ctx);
  });

  router.post(paths.signIn, async function signIn(ctx) {
    const form = await parts.publicForms.read(ctx);
    const home = form.get('password') ? undefined : findHome(ctx, form.get('email') ?? '');
    if (home !== undefined) return parts.redirect(ctx, home);
    const checked = await credentials.check(ctx, form);
    if (checked.account) {
      const returnTo = parseLocalPath(ctx.query.return_to);
      return completion.complete(provider, ctx, checked, { returnTo, isAgain: isAskedAgain(ctx) });
    }
    ctx.status = checked.status;
    show(ctx, form.get('email') ?? '', checked.problems);
  });
}

/** Whether the page must ask a user who is signed in, because a change requires a fresh authentication. */
function isAskedAgain({ query }: Context): boolean {
  return query.prompt === 'login';
}

/** Pages that mails link to and that require a sign-in. */
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
