import type Router from '@koa/router';
import type { Context } from 'koa';
import { MAX_SECRETS } from '../../../clients/client.ts';
import type { ApplicationView } from '../../../pages/views/applications.ts';
import { getSignedInUser, redirectUnlessFresh } from '../../kit/signed-in.ts';
import { applicationsPath, pathsOf, registrationPath } from '../portal/paths.ts';
import { idOf, isConflict, type PortalOptions } from '../portal/portal-options.ts';
import {
  type LogoProblem,
  toApplicationView,
  toListItem,
  toLogoView,
  toSecretShownView,
} from '../views/application-views.ts';
import { type PostedInvitation, toOwnersView } from '../views/owner-views.ts';
import { type PostedTrust, toTrustViews } from '../views/trust-views.ts';

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
  { parts, applicationsOf, server, now }: PortalOptions,
  { problems, trust, logoProblems, invitation }: RejectedForm = {},
): Promise<void> {
  const application = await applicationsOf(ctx).get(idOf(ctx));
  const { id: accountId } = getSignedInUser(ctx).account;
  const csrf = parts.forms.tokenFor(ctx);
  parts.render(ctx, parts.pages.renderApplication, {
    shell: parts.shellOf(ctx),
    csrf,
    ...(await toApplicationView(application, { accountId, now: now() })),
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
      now: now(),
      posted: invitation,
    }),
  });
}

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

/** Adds the page that removes an application and disconnects all its users; only for the owner. */
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

/** Adds the forms that rotate secrets without an outage: a new one works beside the old one until that is removed. */
export function addSecretForms(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf } = options;
  const { addSecret, removeSecret } = pathsOf(':id');

  router.post(addSecret, async function addSecret(ctx) {
    const id = idOf(ctx);
    if (redirectUnlessFresh(ctx, pathsOf(id).show)) return;
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
