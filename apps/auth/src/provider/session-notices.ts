import type Provider from 'oidc-provider';
import type { Client, Session } from 'oidc-provider';

/** Sessions of somebody at one client, each by the name that the client knows it by (`sid`). */
export interface ClientSessions {
  accountId: string;
  clientId: string;
  sids: readonly string[];
}

/** The library's method, which its types leave out: tells the client of a log-out, unless it wants to know of none. */
type Notified = Client & { backchannelLogout(accountId: string, sid: string): Promise<void> };

/** Tells an application that sessions of somebody have ended (OpenID Connect Back-Channel Logout §2.5). */
export async function tellOfLogOut(provider: Provider, sessions: ClientSessions): Promise<void> {
  const { accountId, clientId, sids } = sessions;
  const client = await provider.Client.find(clientId);
  if (client?.backchannelLogoutUri === undefined) return;
  for (const sid of sids) await (client as Notified).backchannelLogout(accountId, sid);
}

/** Ends a session that is left behind, and tells its applications, as the library does at log-out. */
export async function endSession(provider: Provider, session: Session): Promise<void> {
  const { accountId, authorizations = {} } = session;
  await session.destroy();
  if (accountId === undefined) return;
  for (const clientId of Object.keys(authorizations))
    await tellOfLogOut(provider, { accountId, clientId, sids: sidsIn({ authorizations }, clientId) });
}

/** What a client knows a session by; nothing when the session has nothing to do with it. */
export function sidsIn({ authorizations }: Pick<Session, 'authorizations'>, clientId: string): string[] {
  const sid = authorizations?.[clientId]?.sid;
  return sid === undefined ? [] : [sid];
}
