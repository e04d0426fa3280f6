import type { Context, Middleware } from 'koa';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import { isSignInStillValid } from '../../accounts/account/credential-epoch.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isHttps } from '../../config.ts';
import type { Pages } from '../../pages/pages.ts';
import type { RenderPage } from '../../pages/render.ts';
import type { AccountShell } from '../../pages/views/account.ts';
import { cookieName } from '../../provider/cookies.ts';
import { paths } from './account-paths.ts';
import { createFlashMessages, type FlashMessages } from './cookies/signed-cookie.ts';
import type { FindErrorActions } from './error-pages.ts';
import { errorPages } from './error-pages.ts';
import { createBrowserIds, createFormGuard, type FormGuard } from './form-guard.ts';
import { setPageHeaders } from './page-headers.ts';
import { createPendingMails, type PendingMails } from './pending-mail.ts';
import { languageLinksOf, presentationOf } from './presentation.ts';
import { getSignedInUser, type SignedInOptions } from './signed-in.ts';

export interface PagePartsOptions {
  issuer: string;
  accounts: Pick<AccountStore, 'find'>;
  assessSession: SignedInOptions['assessSession'];
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  pages: Pages;
  /** 32 bytes, derived only for forms. */
  formKey: Uint8Array;
  /** Path of the developer portal. */
  applicationsPath?: string | undefined;
  now: () => Date;
}

/** Shared parts of all pages except the interactions. */
export interface PageParts extends SignedInOptions {
  pages: Pages;
  now: () => Date;
  errorPages: Middleware;
  flash: FlashMessages;
  pendingMails: PendingMails;
  /** Guard of forms that require a session; only behind `requireSignedIn`. */
  forms: FormGuard;
  /** Guard of forms that require no session. */
  publicForms: FormGuard;
  /** Returns the header of a page behind `requireSignedIn`. */
  shellOf(ctx: Context): AccountShell;
  /** Responds with a page; the caller sets the status. */
  render<View>(ctx: Context, render: RenderPage<View>, view: View): void;
  /** Redirects to another page after a form (303, RFC 9110 §15.4.4). */
  redirect(ctx: Context, path: string): void;
}

export function createPageParts(options: PagePartsOptions): PageParts {
  const { issuer, accounts, assessSession, artifacts, pages, formKey: key, applicationsPath, now } = options;
  const guard = { key, artifacts, now };
  const nameOf = (cookie: string) => cookieName(cookie, isHttps(issuer));
  return {
    pages,
    accounts,
    assessSession,
    now,
    errorPages: errorPages(pages, findErrorActions),
    flash: createFlashMessages(nameOf('notice')),
    pendingMails: createPendingMails(nameOf('pending-mail')),
    forms: createFormGuard({
      ...guard,
      holder: 'session',
      holderIdOf: (ctx) => getSignedInUser(ctx).session.uid,
      async isStillValid(ctx) {
        const { id, credentialEpoch } = getSignedInUser(ctx).account;
        return isSignInStillValid(await accounts.find(id), credentialEpoch);
      },
    }),
    publicForms: createFormGuard({
      ...guard,
      holder: 'browser',
      holderIdOf: createBrowserIds(nameOf('browser')),
    }),
    shellOf: (ctx) => ({
      email: getSignedInUser(ctx).account.email,
      links: {
        account: paths.account,
        connectedApplications: paths.connectedApplications,
        applications: applicationsPath,
        signOut: paths.signOut,
      },
    }),
    render(ctx, render, view) {
      setPageHeaders(ctx);
      // Not before sign-in: in a popup of an application, it would sever the link to the opener.
      if (ctx.state.signedIn !== undefined) ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
      // A POST cannot be repeated in another language.
      const languageLinks = ctx.method === 'POST' ? undefined : languageLinksOf(ctx.path, ctx.querystring);
      ctx.body = render(view, { ...presentationOf(ctx), languageLinks });
    },
    redirect(ctx, path) {
      ctx.set('Cache-Control', 'no-store');
      ctx.status = 303;
      ctx.redirect(path);
    },
  };
}

/** Pages that send a new link, by the page of an invalid one. */
const newLinks: Readonly<Record<string, string>> = {
  [paths.verifyEmail]: paths.verification,
  [paths.confirmEmail]: paths.changeEmail,
  [paths.resetPassword]: paths.forgotPassword,
  [paths.signUpPasskey]: paths.signUp,
  [paths.disownSignIn]: paths.forgotPassword,
};

const findErrorActions: FindErrorActions = (ctx, variant) => {
  const newLink = newLinks[ctx.path];
  if (newLink && variant === 'invalid_link') return [{ to: 'new_link', href: newLink }];
  if (variant === 'form_expired') return [{ to: 'retry', href: ctx.path + ctx.search }];
  return [{ to: 'account', href: paths.account }];
};
