import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { MAX_LOGO_BYTES } from '../../../clients/logo/client-logo.ts';
import { readUpload } from '../../kit/forms/read-upload.ts';
import { writeApplication } from '../pages/application-pages.ts';
import { pathsOf } from '../portal/paths.ts';
import { idOf, type PortalOptions } from '../portal/portal-options.ts';
import { type LogoProblem, toLogoProblem } from '../views/application-views.ts';

const limits = { fileField: 'logo', textFields: ['csrf'], maxFileBytes: MAX_LOGO_BYTES };

/** Adds the forms that upload and remove the logo of an application. */
export function addLogoForms(router: Router, options: PortalOptions): void {
  const { parts } = options;
  const { logo, removeLogo } = pathsOf(':id');

  router.post(logo, async function uploadLogo(ctx) {
    const upload = await readUpload(ctx, limits);
    // An unreadable form has no CSRF token to check, and changes nothing.
    if (upload === 'invalid') return rejectUpload(ctx, options, toLogoProblem('upload_invalid'));
    if (upload === 'too_large') return rejectUpload(ctx, options, toLogoProblem('logo_too_large'));
    await parts.forms.check(ctx, upload.form);
    const problem = await setLogo(ctx, options, upload.file);
    if (problem) return rejectUpload(ctx, options, problem);
    parts.redirect(ctx, pathsOf(idOf(ctx)).show);
  });

  router.post(removeLogo, async function removeLogo(ctx) {
    await parts.forms.read(ctx);
    await setLogo(ctx, options, null);
    parts.redirect(ctx, pathsOf(idOf(ctx)).show);
  });
}

function rejectUpload(ctx: Context, options: PortalOptions, problem: LogoProblem): Promise<void> {
  ctx.status = problem.code === 'logo_too_large' ? 413 : 400;
  return writeApplication(ctx, options, { problems: [problem], logoProblems: [problem] });
}

/** Changes the logo and stores a notice for the next page; returns the problem of a rejected file. */
async function setLogo(
  ctx: Context,
  { parts, applicationsOf }: PortalOptions,
  file: Buffer | null,
): Promise<LogoProblem | undefined> {
  const before = await applicationsOf(ctx).get(idOf(ctx));
  try {
    const { isVerified } = await applicationsOf(ctx).setLogo(before.id, file);
    const saved = file === null ? 'logo_removed' : 'logo_saved';
    parts.flash.set(ctx, { code: before.isVerified && !isVerified ? 'application_unverified' : saved });
    return undefined;
  } catch (err) {
    const [fault] = err instanceof AppError && err.code === 'validation_failed' ? err.errors : [];
    if (!fault) throw err;
    return toLogoProblem(fault.code);
  }
}
