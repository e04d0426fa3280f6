import type Router from '@koa/router';
import { applicationsPath, pathsOf } from './paths.ts';
import { idOf, type PortalOptions } from './portal-options.ts';

/** Adds the page that removes an application and disconnects all its users; for the owner only. */
export function addRemovePage(router: Router, { parts, applicationsOf }: PortalOptions): void {
  const { remove } = pathsOf(':id');

  router.get(remove, async function showRemoveApplication(ctx) {
    const { id, name } = await applicationsOf(ctx).getOwned(idOf(ctx));
    const paths = pathsOf(id);
    parts.render(ctx, parts.pages.renderRemoveApplication, {
      shell: parts.shellOf(ctx),
      form: { action: paths.remove, csrf: parts.forms.tokenFor(ctx) },
      application: { name },
      links: { cancel: paths.show },
    });
  });

  router.post(remove, async function removeApplication(ctx) {
    await parts.forms.read(ctx);
    const { id, name } = await applicationsOf(ctx).getOwned(idOf(ctx));
    await applicationsOf(ctx).remove(id);
    parts.flash.set(ctx, { code: 'application_removed', values: { application: name } });
    parts.redirect(ctx, applicationsPath);
  });
}
