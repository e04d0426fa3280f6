import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ApplicationView } from '../pages/views/applications.ts';
import { toShown } from './application-views.ts';
import { pathsOf } from './paths.ts';
import { idOf, type PortalOptions } from './portal-options.ts';
import { type PostedTrust, toTrustViews } from './trust-views.ts';

/** One application: what it is, its secrets, and what to paste. */
export function addApplicationPage(router: Router, options: PortalOptions): void {
  router.get(pathsOf(':id').show, (ctx) => writeApplication(ctx, options));
}

/** Writes that page for the application that the address names; the status is the caller's. */
export async function writeApplication(
  ctx: Context,
  { parts, applicationsOf, server, clock }: PortalOptions,
  problems?: ApplicationView['problems'],
  postedTrust?: PostedTrust,
): Promise<void> {
  const application = await applicationsOf(ctx).get(idOf(ctx));
  const csrf = parts.forms.tokenFor(ctx);
  parts.write(ctx, parts.pages.renderApplication, {
    shell: parts.shellOf(ctx),
    csrf,
    ...(await toShown(application, new Date(clock()))),
    server,
    language: typeof ctx.query.language === 'string' ? ctx.query.language : undefined,
    notice: parts.notices.take(ctx),
    problems,
    trust: toTrustViews(application, csrf, postedTrust),
  });
}
