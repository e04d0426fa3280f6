import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ApplicationView } from '../../pages/views/applications.ts';
import { getSignedInUser } from '../kit/signed-in.ts';
import { toApplicationView } from './application-views.ts';
import { type LogoProblem, toLogoView } from './logo-views.ts';
import { type PostedInvitation, toOwnersView } from './owner-views.ts';
import { pathsOf } from './paths.ts';
import { idOf, type PortalOptions } from './portal-options.ts';
import { type PostedTrust, toTrustViews } from './trust-views.ts';

/** Adds the page of one application: its settings, secrets and code snippets. */
export function addApplicationPage(router: Router, options: PortalOptions): void {
  router.get(pathsOf(':id').show, function showApplication(ctx) {
    return writeApplication(ctx, options);
  });
}

/** A rejected form of the page. */
interface RejectedForm {
  problems?: ApplicationView['problems'];
  /** The posted trust request. */
  trust?: PostedTrust;
  logoProblems?: readonly LogoProblem[];
  /** The posted invitation. */
  invitation?: PostedInvitation;
}

/** Writes the page of the application in the path; the caller sets the status. */
export async function writeApplication(
  ctx: Context,
  { parts, applicationsOf, server, clock }: PortalOptions,
  { problems, trust, logoProblems, invitation }: RejectedForm = {},
): Promise<void> {
  const application = await applicationsOf(ctx).get(idOf(ctx));
  const { id: accountId } = getSignedInUser(ctx).account;
  const csrf = parts.forms.tokenFor(ctx);
  parts.render(ctx, parts.pages.renderApplication, {
    shell: parts.shellOf(ctx),
    csrf,
    ...(await toApplicationView(application, { accountId, now: new Date(clock()) })),
    server,
    language: typeof ctx.query.language === 'string' ? ctx.query.language : undefined,
    notice: parts.flash.take(ctx),
    problems,
    logo: toLogoView(application, csrf, logoProblems),
    trust: toTrustViews(application, csrf, trust),
    owners: await toOwnersView(application, {
      accountId,
      accounts: parts.accounts,
      csrf,
      now: new Date(clock()),
      posted: invitation,
    }),
  });
}
