import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ClientRequest } from '../../../clients/client-rules.ts';
import { redirectUnlessFresh, requireFreshAuthentication } from '../../kit/signed-in.ts';
import type { Application } from '../portal/applications.ts';
import { applicationsPath, pathsOf, registrationPath } from '../portal/paths.ts';
import { idOf, isConflict, type PortalOptions } from '../portal/portal-options.ts';
import { toSecretShownView } from '../views/application-views.ts';
import type { FormProblem } from './application-form.ts';
import { type FormValues, offeredScopesOf, readApplicationForm, valuesOf } from './application-form.ts';

/**
 * Adds the page that registers an application. The type determines its authentication and its allowed settings. The
 * page requires a fresh authentication, because its result shows a secret or can change tickets.
 */
export function addRegisterPage(router: Router, { parts, applicationsOf, limit }: PortalOptions): void {
  function show(ctx: Context, values: FormValues, problems?: readonly FormProblem[]): void {
    parts.render(ctx, parts.pages.renderApplicationForm, {
      shell: parts.shellOf(ctx),
      form: { action: applicationsPath, csrf: parts.forms.tokenFor(ctx), problems },
      values,
      offeredScopes: offeredScopesOf(false),
      links: { cancel: applicationsPath },
    });
  }

  async function register(ctx: Context, request: ClientRequest): Promise<void> {
    const { client, secret } = await applicationsOf(ctx).register(request);
    if (secret === null) return parts.redirect(ctx, pathsOf(client.id).show);
    const shown = toSecretShownView({ client, secret });
    parts.render(ctx, parts.pages.renderSecretShown, { shell: parts.shellOf(ctx), ...shown });
  }

  router.get(registrationPath, requireFreshAuthentication, function showRegisterApplication(ctx) {
    show(ctx, { scopes: ['openid', 'tickets:read'] });
  });

  router.post(applicationsPath, async function registerApplication(ctx) {
    if (redirectUnlessFresh(ctx, registrationPath)) return;
    const form = await parts.forms.read(ctx);
    const { values, problems, request } = readApplicationForm(form);
    if (!request) {
      ctx.status = 400;
      return show(ctx, values, problems);
    }
    if (!(await parts.forms.markUsed(form))) {
      parts.flash.set(ctx, { code: 'form_repeated' });
      return parts.redirect(ctx, applicationsPath);
    }
    try {
      await register(ctx, request);
    } catch (err) {
      if (!isConflict(err)) throw err;
      ctx.status = 409;
      show(ctx, values, [{ code: 'quota_reached', values: { limit } }]);
    }
  });
}

/** Adds the page that edits an application. A concurrent change is not overwritten. */
export function addEditPage(router: Router, { parts, applicationsOf }: PortalOptions): void {
  const { edit } = pathsOf(':id');

  function show(
    ctx: Context,
    application: Application,
    values: FormValues,
    problems?: readonly FormProblem[],
  ) {
    const { id, name, type, isVerified, version } = application;
    const paths = pathsOf(id);
    parts.render(ctx, parts.pages.renderApplicationForm, {
      shell: parts.shellOf(ctx),
      form: { action: paths.edit, csrf: parts.forms.tokenFor(ctx), problems },
      editing: name,
      values: { ...values, type, version },
      offeredScopes: offeredScopesOf(isVerified),
      links: { cancel: paths.show },
    });
  }

  router.get(edit, requireFreshAuthentication, async function showEditApplication(ctx) {
    const application = await applicationsOf(ctx).get(idOf(ctx));
    show(ctx, application, valuesOf(application));
  });

  router.post(edit, requireFreshAuthentication, async function editApplication(ctx) {
    const form = await parts.forms.read(ctx);
    const application = await applicationsOf(ctx).get(idOf(ctx));
    const { values, problems, request } = readApplicationForm(form, application);
    if (!request) {
      ctx.status = 400;
      return show(ctx, application, values, problems);
    }
    try {
      const { type: _, ...changes } = request;
      const edited = await applicationsOf(ctx).edit(application.id, changes, Number(form.get('version')));
      const isVerifiedNoLonger = application.isVerified && !edited.isVerified;
      parts.flash.set(ctx, {
        code: isVerifiedNoLonger ? 'application_unverified' : 'application_saved',
      });
      parts.redirect(ctx, pathsOf(application.id).show);
    } catch (err) {
      if (!isConflict(err)) throw err;
      ctx.status = 409;
      show(ctx, application, values, [{ code: 'changed_meanwhile' }]);
    }
  });
}
