import type Provider from 'oidc-provider';
import type { Client, Session } from 'oidc-provider';
import { type ClientSession, clientSessionsOf } from './account-sessions.ts';

/**
 * Method of oidc-provider's client that its types omit. Notifies the client of a log-out, if it is registered for that.
 */
type BackChannelClient = Client & { backchannelLogout(accountId: string, sid: string): Promise<void> };

/** Notifies applications that sessions of an account have ended (OpenID Connect Back-Channel Logout §2.5). */
export async function notifyOfLogOut(
  provider: Provider,
  accountId: string,
  sessions: readonly ClientSession[],
): Promise<void> {
  for (const { clientId, sid } of sessions) {
    const client = await provider.Client.find(clientId);
    if (client?.backchannelLogoutUri !== undefined)
      await (client as BackChannelClient).backchannelLogout(accountId, sid);
  }
}

/** Ends a replaced session and notifies its applications, as oidc-provider does at log-out. */
export async function endSession(provider: Provider, session: Session): Promise<void> {
  const { accountId } = session;
  // The notifications come first because the sessions can't be listed once they are deleted. A notification about a
  // log-out that never happens is harmless.
  if (accountId !== undefined) await notifyOfLogOut(provider, accountId, clientSessionsOf(session));
  await session.destroy();
}
