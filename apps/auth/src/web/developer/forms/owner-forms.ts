import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { MAX_CO_OWNERS } from '../../../clients/owners/co-ownership.ts';
import type { Coded } from '../../../pages/messages.ts';
import type { ChangeOwnersView } from '../../../pages/views/owners.ts';
import { toRateLimitProblem } from '../../kit/forms/credentials-form.ts';
import { presentationOf } from '../../kit/presentation.ts';
import { redirectUnlessFresh } from '../../kit/signed-in.ts';
import { writeApplication } from '../pages/application-pages.ts';
import type { Application } from '../portal/applications.ts';
import { applicationsPath, pathsOf } from '../portal/paths.ts';
import { idOf, isConflict, type PortalOptions } from '../portal/portal-options.ts';

/** Adds the forms that invite co-owners, and the pages that ask for confirmation before the owners change. */
export function addOwnerForms(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf, invitationsOf } = options;
  const paths = pathsOf(':id');

  // A new owner can get a secret, so this requires the same fresh authentication as a secret.
  router.post(paths.invite, async function inviteCoOwner(ctx) {
    const id = idOf(ctx);
    if (redirectUnlessFresh(ctx, pathsOf(id).show)) return;
    const typed = (await parts.forms.read(ctx)).get('invited_email') ?? '';
    try {
      const email = await invitationsOf(ctx).send(id, typed, presentationOf(ctx).language);
      parts.flash.set(ctx, { code: 'invitation_sent', values: { email } });
      parts.redirect(ctx, pathsOf(id).show);
    } catch (err) {
      const { status, problem } = toInvitationProblem(err);
      const problems = [{ field: 'invited_email' as const, ...problem }];
      ctx.status = status;
      await writeApplication(ctx, options, { problems, invitation: { email: typed, problems } });
    }
  });

  router.post(paths.withdrawInvitation(':invitationId'), async function withdrawInvitation(ctx) {
    await parts.forms.read(ctx);
    const id = idOf(ctx);
    await applicationsOf(ctx).withdrawInvitation(id, String(ctx.params.invitationId));
    parts.flash.set(ctx, { code: 'invitation_withdrawn' });
    parts.redirect(ctx, pathsOf(id).show);
  });

  addCoOwnerChanges(router, options);
  addLeaving(router, options);
}

/** Adds the changes of the owner to one co-owner: removal and hand-over. */
function addCoOwnerChanges(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf } = options;
  const paths = pathsOf(':id');

  const confirm = (change: 'remove_co_owner' | 'hand_over') =>
    async function showCoOwnerChange(ctx: Context): Promise<void> {
      const application = await applicationsOf(ctx).getOwned(idOf(ctx));
      await showConfirmation(ctx, options, { change, application, accountId: ctx.params.accountId });
    };

  router.get(paths.removeCoOwner(':accountId'), confirm('remove_co_owner'));
  router.get(paths.handOver(':accountId'), confirm('hand_over'));

  router.post(paths.removeCoOwner(':accountId'), async function removeCoOwner(ctx) {
    await parts.forms.read(ctx);
    const id = idOf(ctx);
    await applicationsOf(ctx).removeCoOwner(id, String(ctx.params.accountId));
    parts.flash.set(ctx, { code: 'co_owner_removed' });
    parts.redirect(ctx, pathsOf(id).show);
  });

  router.post(paths.handOver(':accountId'), async function handOver(ctx) {
    const id = idOf(ctx);
    if (redirectUnlessFresh(ctx, pathsOf(id).show)) return;
    await parts.forms.read(ctx);
    try {
      await applicationsOf(ctx).handOver(id, String(ctx.params.accountId));
    } catch (err) {
      if (!isConflict(err)) throw err;
      ctx.status = 409;
      return writeApplication(ctx, options, { problems: [{ code: 'new_owner_full' }] });
    }
    parts.flash.set(ctx, { code: 'application_handed_over' });
    parts.redirect(ctx, pathsOf(id).show);
  });
}

function addLeaving(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf } = options;
  const path = pathsOf(':id').leave;

  router.get(path, async function showLeave(ctx) {
    await showConfirmation(ctx, options, {
      change: 'leave',
      application: await applicationsOf(ctx).get(idOf(ctx)),
    });
  });

  router.post(path, async function leave(ctx) {
    await parts.forms.read(ctx);
    const { id, name } = await applicationsOf(ctx).get(idOf(ctx));
    await applicationsOf(ctx).leave(id);
    parts.flash.set(ctx, { code: 'application_left', values: { application: name } });
    parts.redirect(ctx, applicationsPath);
  });
}

interface Confirmation {
  change: ChangeOwnersView['change'];
  application: Application;
  /** The affected co-owner. */
  accountId?: string | undefined;
}

/** Shows a confirmation before the owners of an application change; its form posts to the same path. */
async function showConfirmation(
  ctx: Context,
  { parts }: PortalOptions,
  { change, application, accountId }: Confirmation,
) {
  const { id, name, isVerified, coOwners } = application;
  const isCoOwner = coOwners.some((each) => each.accountId === accountId);
  const account = isCoOwner ? await parts.accounts.find(accountId ?? '') : undefined;
  if (accountId !== undefined && !account)
    throw new AppError('not_found', `Account ${accountId} is not a co-owner.`);
  parts.render(ctx, parts.pages.renderChangeOwners, {
    shell: parts.shellOf(ctx),
    change,
    form: { action: ctx.path, csrf: parts.forms.tokenFor(ctx) },
    application: { name, isVerified },
    person: account && { name: account.profile.name, email: account.email },
    links: { cancel: pathsOf(id).show },
  });
}

/** Converts the error of a rejected invitation to a status and a problem with a message of the page. */
function toInvitationProblem(err: unknown): { status: number; problem: Coded<'problem'> } {
  const code = err instanceof AppError ? err.errors[0]?.code : undefined;
  switch (code) {
    case 'missing':
      return { status: 400, problem: { code: 'invited_email_missing' } };
    case 'invalid':
      return { status: 400, problem: { code: 'email_invalid' } };
    case 'already_invited':
    case 'already_owner':
      return { status: 409, problem: { code } };
    case 'co_owners_full':
      return { status: 409, problem: { code, values: { max: MAX_CO_OWNERS } } };
    default:
      return { status: 429, problem: toRateLimitProblem(err) };
  }
}
