import type Router from '@koa/router';
import type { Context } from 'koa';
import { toLogoPath } from '../../../clients/logo/client-logo.ts';
import { paths } from '../../kit/account-paths.ts';
import { asString } from '../../kit/interaction.ts';
import type { InvitationView, PendingInvitation } from '../portal/invitations.ts';
import { applicationsPath, invitationPath, pathsOf } from '../portal/paths.ts';
import { isConflict, type PortalOptions } from '../portal/portal-options.ts';

/**
 * Adds the page of an invitation's link. The link shows a form instead of accepting directly, because mail scanners
 * open every link.
 */
export function addInvitationPage(router: Router, options: PortalOptions): void {
  const { parts, invitationsOf } = options;

  router.get(invitationPath, function showInvitation(ctx) {
    return show(ctx, options, asString(ctx.query.token) ?? '');
  });

  router.post(invitationPath, async function answerInvitation(ctx) {
    const form = await parts.forms.read(ctx);
    const token = form.get('token') ?? '';
    const answer = form.get('decision') === 'accept' ? 'accepted' : 'declined';
    try {
      const { id, name } = await invitationsOf(ctx).answer(token, answer);
      parts.flash.set(ctx, { code: `invitation_${answer}`, values: { application: name } });
      parts.redirect(ctx, answer === 'accepted' ? pathsOf(id).show : applicationsPath);
    } catch (err) {
      if (!isConflict(err)) throw err;
      await show(ctx, options, token);
    }
  });
}

async function show(ctx: Context, options: PortalOptions, token: string): Promise<void> {
  const shown = await options.invitationsOf(ctx).inspect(token);
  if (shown.state === 'pending') return writePending(ctx, options, { ...shown, token });
  writeEnded(ctx, options, shown.state);
}

async function writePending(
  ctx: Context,
  { parts }: PortalOptions,
  { client, from, expiresAt, token }: PendingInvitation & { token: string },
): Promise<void> {
  const owner = await parts.accounts.find(client.owner ?? '');
  parts.render(ctx, parts.pages.renderInvitation, {
    shell: parts.shellOf(ctx),
    state: 'pending',
    form: { action: invitationPath, csrf: parts.forms.tokenFor(ctx) },
    token,
    application: {
      name: client.name,
      logo: toLogoPath(client),
      owner: owner && (owner.profile.name ?? owner.email),
      homePage: client.homePage ?? undefined,
      isVerified: client.isVerified,
    },
    from: { name: from?.profile.name, email: from?.email ?? '' },
    expiresAt,
  });
}

function writeEnded(
  ctx: Context,
  { parts }: PortalOptions,
  state: Exclude<InvitationView['state'], 'pending'>,
): void {
  ctx.status = state === 'other_account' ? 403 : 410;
  parts.render(ctx, parts.pages.renderInvitation, {
    shell: parts.shellOf(ctx),
    state,
    links: { applications: applicationsPath, signOut: paths.signOut },
  });
}
