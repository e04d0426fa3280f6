import { Readable } from 'node:stream';
import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireFreshAuthentication, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the page on which users download their data. It requires a fresh authentication. */
export function addDownloadDataPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts } = options;
  const steps = [requireSignedIn(provider, parts), requireFreshAuthentication] as const;

  router.get(paths.downloadData, ...steps, function showDownloadData(ctx) {
    parts.render(ctx, parts.pages.renderDownloadData, {
      shell: parts.shellOf(ctx),
      form: { action: paths.downloadData, csrf: parts.forms.tokenFor(ctx) },
      links: { account: paths.account },
    });
  });

  router.post(paths.downloadData, ...steps, async function downloadData(ctx) {
    await parts.forms.read(ctx);
    const archive = await accounts.exportData(getSignedInUser(ctx).account.id, originOf(ctx));
    ctx.set({
      'Cache-Control': 'no-store',
      'Content-Disposition': 'attachment; filename="account-data.zip"',
    });
    ctx.type = 'application/zip';
    ctx.body = Readable.from(archive);
  });
}
