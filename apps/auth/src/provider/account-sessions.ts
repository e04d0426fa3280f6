import type { Session } from 'oidc-provider';
import type { Origin } from '../accounts/account-event.ts';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload } from './artifact-payload.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { hasEnded } from './ended-sessions.ts';
import type { LogOutNotices } from './log-out-notices.ts';

export interface AccountSessionsOptions {
  artifacts: Pick<ArtifactStore, 'findOfAccount' | 'revokeAccount'>;
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

  async function find(accountId: string): Promise<readonly ClientSession[]> {
    const sessions = await artifacts.findOfAccount('Session', accountId, new Date(clock()));
    return sessions
      .filter((session) => !hasEnded(session))
      .flatMap((session) => clientsOf(openPayload<Session>(sealer, session)));
  }

  return {
    find,
    async endAll(accountId, { actor = accountId, address, requestId = null }) {
      const told = { accountId, actor, address, requestId };
      // First, for afterwards nobody knows which they were; a log-out that is told and does not come harms nobody.
      await notices.add((await find(accountId)).map((session) => ({ ...told, ...session })));
      await artifacts.revokeAccount(accountId);
    },
  };
}

/** The clients that a session has to do with. */
export function clientsOf({ authorizations = {} }: Pick<Session, 'authorizations'>): ClientSession[] {
  return Object.entries(authorizations).flatMap(([clientId, { sid } = {}]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  );
}
