import type { Session } from 'oidc-provider';
import type { Origin } from '../../accounts/account-event.ts';
import { openPayload } from '../../artifacts/artifact-payload.ts';
import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts';
import { isEndedSession, preventSessionRevival } from '../../artifacts/ended-sessions.ts';
import type { Sealer } from '../../keys/sealing.ts';
import type { LogOutNotifications } from './log-out-notifications.ts';

export interface AccountSessionsOptions {
  artifacts: Pick<ArtifactStore, 'findByAccount' | 'revokeAccount' | 'insertOnce' | 'consume' | 'upsert'>;
  notifications: Pick<LogOutNotifications, 'add'>;
  sealer: Sealer;
  now: () => Date;
}

/** A session in one browser, identified by the `sid` of one client. */
export interface ClientSession {
  clientId: string;
  sid: string;
}

/** The sessions of one account, in all browsers. */
export interface AccountSessions {
  /** Returns the client sessions of an account. */
  find(accountId: string): Promise<readonly ClientSession[]>;
  /**
   * Ends the sessions with every grant and token, and notifies their clients (OpenID Connect Back-Channel Logout §2).
   */
  endAll(accountId: string, origin: Origin): Promise<void>;
}

export function createAccountSessions(options: AccountSessionsOptions): AccountSessions {
  const { artifacts, notifications, sealer, now } = options;

  async function findLive(accountId: string): Promise<readonly StoredArtifact[]> {
    const sessions = await artifacts.findByAccount('Session', accountId, now());
    return sessions.filter((session) => !isEndedSession(session));
  }

  const toClientSessions = (sessions: readonly StoredArtifact[]) =>
    sessions.flatMap((session) => clientSessionsOf(openPayload<Session>(sealer, session)));

  return {
    find: async (accountId) => toClientSessions(await findLive(accountId)),
    async endAll(accountId, { actor = accountId, address, requestId = null }) {
      const base = { accountId, actor, address, requestId };
      const sessions = await findLive(accountId);
      // The notifications come first because the sessions can't be listed once they are revoked. A notification about a
      // log-out that never happens is harmless.
      await notifications.add(toClientSessions(sessions).map((session) => ({ ...base, ...session })));
      await artifacts.revokeAccount(accountId);
      await Promise.all(sessions.map(({ key }) => preventSessionRevival(artifacts, key, now())));
    },
  };
}

/** Returns the client sessions that a session holds. */
export function clientSessionsOf({ authorizations = {} }: Pick<Session, 'authorizations'>): ClientSession[] {
  return Object.entries(authorizations).flatMap(([clientId, { sid } = {}]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  );
}
