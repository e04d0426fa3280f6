import type Router from '@koa/router';
import { MAX_SECRETS } from '../../clients/client.ts';
import { writeApplication } from './application-page.ts';
import { toSecretShownView } from './application-views.ts';
import { pathsOf } from './paths.ts';
import { idOf, isConflict, type PortalOptions } from './portal-options.ts';

/** Adds the forms that rotate secrets without an outage: a new one works beside the old one until that is removed. */
export function addSecretForms(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf } = options;
  const { addSecret, removeSecret } = pathsOf(':id');

  router.post(addSecret, async function addSecret(ctx) {
    const id = idOf(ctx);
    if (!(await parts.forms.markUsed(await parts.forms.read(ctx)))) {
      parts.flash.set(ctx, { code: 'form_repeated' });
      return parts.redirect(ctx, pathsOf(id).show);
    }
    try {
      const { client, secret } = await applicationsOf(ctx).addSecret(id);
      const shown = toSecretShownView({ client, secret: secret ?? '' });
      parts.render(ctx, parts.pages.renderSecretShown, { shell: parts.shellOf(ctx), ...shown });
    } catch (err) {
      if (!isConflict(err)) throw err;
      ctx.status = 409;
      await writeApplication(ctx, options, {
        problems: [{ code: 'secrets_full', values: { max: MAX_SECRETS } }],
      });
    }
  });

  router.post(removeSecret(':secretId'), async function removeSecret(ctx) {
    await parts.forms.read(ctx);
    const id = idOf(ctx);
    await applicationsOf(ctx).removeSecret(id, String(ctx.params.secretId));
    parts.flash.set(ctx, { code: 'secret_removed' });
    parts.redirect(ctx, pathsOf(id).show);
  });
}
