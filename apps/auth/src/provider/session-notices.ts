import type Provider from 'oidc-provider';
import type { Client, Session } from 'oidc-provider';
import { type ClientSession, clientsOf } from './account-sessions.ts';

/** The library's method, which its types leave out: tells the client of a log-out, unless it wants to know of none. */
type Notified = Client & { backchannelLogout(accountId: string, sid: string): Promise<void> };

/** Tells applications that sessions of somebody have ended (OpenID Connect Back-Channel Logout §2.5). */
export async function tellOfLogOut(
  provider: Provider,
  accountId: string,
  sessions: readonly ClientSession[],
): Promise<void> {
  for (const { clientId, sid } of sessions) {
    const client = await provider.Client.find(clientId);
    if (client?.backchannelLogoutUri !== undefined)
      await (client as Notified).backchannelLogout(accountId, sid);
  }
}

/** Ends a session that is left behind, and tells its applications, as the library does at log-out. */
export async function endSession(provider: Provider, session: Session): Promise<void> {
  const { accountId } = session;
  // First, for afterwards nobody knows which they were; a log-out that is told and does not come harms nobody.
  if (accountId !== undefined) await tellOfLogOut(provider, accountId, clientsOf(session));
  await session.destroy();
}
