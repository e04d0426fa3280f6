import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { AccountSession } from '../../../accounts/sessions/session-registry.ts';
import type { ShownSession, ShownTrustedDevice } from '../../../pages/views/sessions.ts';
import { sessionIdOf } from '../../../provider/log-out/account-sessions.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, isFresh, reauthenticationPath, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';
import { findNamedClient } from './connected-applications-page.ts';

const endOthersPath = `${paths.sessions}/end-others`;

/** Adds the page that lists the sessions of the account and ends them (OWASP ASVS 5.0 §7.5.2). */
export function addSessionsPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, clients } = options;
  const signedIn = requireSignedIn(provider, parts);

  /** Requires a fresh authentication, then shows the list again: the forms have no page of their own. */
  async function requireFresh(ctx: Context, next: () => Promise<unknown>): Promise<void> {
    if (isFresh(getSignedInUser(ctx))) return void (await next());
    parts.redirect(ctx, reauthenticationPath(paths.sessions));
  }

  async function toShown(session: AccountSession, currentId: string): Promise<ShownSession> {
    const { id, device, address, firstSeenAt, lastSeenAt, clientIds } = session;
    const found = await Promise.all(clientIds.map((clientId) => findNamedClient(clients, clientId)));
    return {
      id,
      device,
      address: address || undefined,
      firstSeenAt,
      lastSeenAt,
      applications: found.flatMap((client) => client?.name ?? []),
      endAction: id === currentId ? undefined : `${paths.sessions}/${id}/end`,
    };
  }

  async function findTrustedDevices(ctx: Context): Promise<readonly ShownTrustedDevice[]> {
    const devices = await options.findTrustedDevices(getSignedInUser(ctx).account);
    return devices.map(({ id, description, createdAt: since, expiresAt: until }) => {
      return { id, description, since, until };
    });
  }

  router.get(paths.sessions, signedIn, async function showSessions(ctx) {
    const currentId = currentSessionId(ctx);
    const sessions = await accounts.listSessions(getSignedInUser(ctx).account.id);
    const shown = await Promise.all(sessions.map((session) => toShown(session, currentId)));
    const [current, others] = [
      shown.filter(({ id }) => id === currentId),
      shown.filter(({ id }) => id !== currentId),
    ];
    parts.render(ctx, parts.pages.renderSessions, {
      shell: parts.shellOf(ctx),
      csrf: parts.forms.tokenFor(ctx),
      sessions: [...current, ...others],
      endOthersAction: others.length > 0 ? endOthersPath : undefined,
      trustedDevices: await findTrustedDevices(ctx),
      notice: parts.flash.take(ctx),
    });
  });

  router.post(endOthersPath, signedIn, requireFresh, async function endOtherSessions(ctx) {
    await parts.forms.read(ctx);
    const kept = { accountId: getSignedInUser(ctx).account.id, sessionId: currentSessionId(ctx) };
    await accounts.endOtherSessions(kept, originOf(ctx));
    parts.flash.set(ctx, { code: 'other_sessions_ended' });
    parts.redirect(ctx, paths.sessions);
  });

  router.post(`${paths.sessions}/:sessionId/end`, signedIn, requireFresh, async function endSession(ctx) {
    await parts.forms.read(ctx);
    const { sessionId = '' } = ctx.params;
    await accounts.endSession({ accountId: getSignedInUser(ctx).account.id, sessionId }, originOf(ctx));
    parts.flash.set(ctx, { code: 'session_ended' });
    parts.redirect(ctx, paths.sessions);
  });
}

function currentSessionId(ctx: Context): string {
  return sessionIdOf(getSignedInUser(ctx).session.uid);
}
