import type Router from '@koa/router';
import { getSignedInUser } from '../kit/signed-in.ts';
import { toListItem } from './application-views.ts';
import { applicationsPath, registrationPath } from './paths.ts';
import type { PortalOptions } from './portal-options.ts';

/** Adds the page that lists the user's owned and co-owned applications. */
export function addListPage(router: Router, { parts, applicationsOf, limit }: PortalOptions): void {
  router.get(applicationsPath, async function listApplications(ctx) {
    const { id } = getSignedInUser(ctx).account;
    const applications = await applicationsOf(ctx).list();
    parts.render(ctx, parts.pages.renderApplications, {
      shell: parts.shellOf(ctx),
      applications: applications.map((each) => toListItem(each, id)),
      limit,
      notice: parts.flash.take(ctx),
      links: { register: registrationPath },
    });
  });
}
