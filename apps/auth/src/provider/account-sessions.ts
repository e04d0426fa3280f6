import type { Session } from 'oidc-provider';
import type { Origin } from '../accounts/account-event.ts';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload } from './artifact-payload.ts';
import type { ArtifactStore, StoredArtifact } from './artifact-store.ts';
import { hasEnded, keepSessionEnded } from './ended-sessions.ts';
import type { LogOutNotices } from './log-out-notices.ts';

export interface AccountSessionsOptions {
  artifacts: Pick<ArtifactStore, 'findOfAccount' | 'revokeAccount' | 'insertOnce' | 'consume' | 'upsert'>;
  notices: Pick<LogOutNotices, 'add'>;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** A session in one browser, by the name that one client knows it by (`sid`). */
export interface ClientSession {
  clientId: string;
  sid: string;
}

/** Somebody's sessions, in all of their browsers. */
export interface AccountSessions {
  /** What clients know them by. */
  find(accountId: string): Promise<readonly ClientSession[]>;
  /** Ends them, with every grant and token; their clients are told (OpenID Connect Back-Channel Logout §2). */
  endAll(accountId: string, origin: Origin): Promise<void>;
}

export function createAccountSessions(options: AccountSessionsOptions): AccountSessions {
  const { artifacts, notices, sealer, clock } = options;

  const now = () => new Date(clock());

  async function findLive(accountId: string): Promise<readonly StoredArtifact[]> {
    const sessions = await artifacts.findOfAccount('Session', accountId, now());
    return sessions.filter((session) => !hasEnded(session));
  }

  const toClientSessions = (sessions: readonly StoredArtifact[]) =>
    sessions.flatMap((session) => clientsOf(openPayload<Session>(sealer, session)));

  return {
    find: async (accountId) => toClientSessions(await findLive(accountId)),
    async endAll(accountId, { actor = accountId, address, requestId = null }) {
      const told = { accountId, actor, address, requestId };
      const sessions = await findLive(accountId);
      // First, for afterwards nobody knows which they were; a log-out that is told and does not come harms nobody.
      await notices.add(toClientSessions(sessions).map((session) => ({ ...told, ...session })));
      await artifacts.revokeAccount(accountId);
      await Promise.all(sessions.map(({ key }) => keepSessionEnded(artifacts, key, now())));
    },
  };
}

/** The clients that a session has to do with. */
export function clientsOf({ authorizations = {} }: Pick<Session, 'authorizations'>): ClientSession[] {
  return Object.entries(authorizations).flatMap(([clientId, { sid } = {}]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  );
}
