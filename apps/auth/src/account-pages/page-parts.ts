import type { Context, Middleware } from 'koa';
import type { AccountStore } from '../accounts/account-store.ts';
import { isHttps } from '../config.ts';
import type { FindErrorActions } from '../interactions/error-pages.ts';
import { errorPages } from '../interactions/error-pages.ts';
import { setPageHeaders } from '../interactions/page-headers.ts';
import { languageLinksOf, presentationOf } from '../interactions/presentation.ts';
import type { Pages } from '../pages/pages.ts';
import type { RenderPage } from '../pages/render.ts';
import type { AccountShell } from '../pages/views/account.ts';
import type { ArtifactStore } from '../provider/artifact-store.ts';
import { cookieName } from '../provider/cookies.ts';
import { createBrowserIds, createFormGuard, type FormGuard } from './form-guard.ts';
import { createNotices, type Notices } from './notices.ts';
import { paths } from './paths.ts';
import { createPendingMails, type PendingMails } from './pending-mail.ts';
import { signedInOf } from './signed-in.ts';

export interface PagePartsOptions {
  issuer: string;
  accounts: Pick<AccountStore, 'find'>;
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  pages: Pages;
  /** 32 bytes, derived for forms alone. */
  formKey: Uint8Array;
  /** Where people find the applications that they registered. */
  applicationsPath?: string | undefined;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** What every page of ours beside the interactions is made with. */
export interface PageParts {
  pages: Pages;
  accounts: Pick<AccountStore, 'find'>;
  errorPages: Middleware;
  notices: Notices;
  pendingMails: PendingMails;
  /** Forms of people who are signed in; behind `requireSignedIn` only. */
  forms: FormGuard;
  /** Forms of everybody else. */
  openForms: FormGuard;
  /** The head of a page behind `requireSignedIn`. */
  shellOf(ctx: Context): AccountShell;
  /** Answers with a page; the status is the caller's. */
  write<View>(ctx: Context, render: RenderPage<View>, view: View): void;
  /** Leads to another page after a form (RFC 9110 §15.4.4). */
  goTo(ctx: Context, path: string): void;
}

export function createPageParts(options: PagePartsOptions): PageParts {
  const { issuer, accounts, artifacts, pages, formKey: key, applicationsPath, clock } = options;
  const guard = { key, artifacts, clock };
  const nameOf = (cookie: string) => cookieName(cookie, isHttps(issuer));
  return {
    pages,
    accounts,
    errorPages: errorPages(pages, findErrorActions),
    notices: createNotices(nameOf('notice')),
    pendingMails: createPendingMails(nameOf('pending-mail')),
    forms: createFormGuard({ ...guard, holder: 'session', holderIdOf: (ctx) => signedInOf(ctx).session.uid }),
    openForms: createFormGuard({
      ...guard,
      holder: 'browser',
      holderIdOf: createBrowserIds(nameOf('browser')),
    }),
    shellOf: (ctx) => ({
      email: signedInOf(ctx).account.email,
      links: {
        account: paths.account,
        connectedApplications: paths.connectedApplications,
        applications: applicationsPath,
        signOut: paths.signOut,
      },
    }),
    write(ctx, render, view) {
      setPageHeaders(ctx);
      // On the way to an application it would sever the link between its window and the popup that it opened.
      if (ctx.state.signedIn !== undefined) ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
      // What was posted cannot be asked for again in another language.
      const languageLinks = ctx.method === 'POST' ? undefined : languageLinksOf(ctx.path, ctx.querystring);
      ctx.body = render(view, { ...presentationOf(ctx), languageLinks });
    },
    goTo(ctx, path) {
      ctx.set('Cache-Control', 'no-store');
      ctx.status = 303;
      ctx.redirect(path);
    },
  };
}

/** Where a new link is to be had for one that does not work any more. */
const newLinks: Readonly<Record<string, string>> = {
  [paths.verifyEmail]: paths.verification,
  [paths.confirmEmail]: paths.changeEmail,
  [paths.resetPassword]: paths.forgotPassword,
};

const findErrorActions: FindErrorActions = (ctx, variant) => {
  const newLink = newLinks[ctx.path];
  if (newLink && variant === 'invalid_link') return [{ to: 'new_link', href: newLink }];
  if (variant === 'form_expired') return [{ to: 'retry', href: ctx.path + ctx.search }];
  return [{ to: 'account', href: paths.account }];
};
