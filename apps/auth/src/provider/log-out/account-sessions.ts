import { hash } from 'node:crypto';
import type { Grant, Session } from 'oidc-provider';
import type { Origin } from '../../accounts/account/account-event.ts';
import type {
  AccountSession,
  SessionOwner,
  SessionRegistry,
} from '../../accounts/sessions/session-registry.ts';
import { openPayload } from '../../artifacts/artifact-payload.ts';
import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts';
import { findCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import {
  endSessionPermanently,
  isEndedSession,
  markSessionEnded,
  preventSessionRevival,
} from '../../artifacts/ended-sessions.ts';
import { findSessionUid } from '../../artifacts/grant-sessions.ts';
import { findActivity } from '../../artifacts/session-activity.ts';
import { storeUpstreamLogOut } from '../../artifacts/upstream-log-outs.ts';
import { findAccountByUpstreamSid, findUpstreamSession } from '../../artifacts/upstream-sessions.ts';
import type { Sealer } from '../../keys/sealing.ts';
import type { LogOutNotifications } from './log-out-notifications.ts';

export interface AccountSessionsOptions {
  artifacts: Pick<
    ArtifactStore,
    'find' | 'findByAccount' | 'revokeAccount' | 'revokeGrant' | 'insertOnce' | 'consume' | 'upsert'
  >;
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
export interface AccountSessions extends SessionRegistry {
  /** Returns the client sessions of an account. */
  find(accountId: string): Promise<readonly ClientSession[]>;
  /**
   * Ends the sessions with every grant and token, and notifies their clients (OpenID Connect Back-Channel Logout §2).
   */
  endAll(accountId: string, origin: Origin): Promise<void>;
}

/** The used members of a stored session. */
type SessionPayload = Pick<Session, 'uid' | 'authorizations' | 'iat' | 'loginTs'>;

/** A stored grant: its key, and the session in which it was given. */
interface SessionGrant {
  key: string;
  clientId: string;
  sessionUid: string | undefined;
}

export function createAccountSessions(options: AccountSessionsOptions): AccountSessions {
  const { artifacts, notifications, sealer, now } = options;

  async function findLive(accountId: string): Promise<readonly StoredArtifact[]> {
    const sessions = await artifacts.findByAccount('Session', accountId, now());
    return sessions.filter((session) => !isEndedSession(session));
  }

  const openSession = (session: StoredArtifact) => openPayload<SessionPayload>(sealer, session);

  async function findValid({ id, credentialEpoch }: SessionOwner): Promise<SessionPayload[]> {
    const payloads = (await findLive(id)).map(openSession);
    return payloads.filter((payload) => findCredentialEpoch(payload) === credentialEpoch);
  }

  async function findGrants(accountId: string): Promise<SessionGrant[]> {
    const grants = await artifacts.findByAccount('Grant', accountId, now());
    return grants.map((grant) => ({
      key: grant.key,
      clientId: grant.clientId ?? '',
      sessionUid: findSessionUid(openPayload<Grant>(sealer, grant)),
    }));
  }

  async function notify(
    accountId: string,
    sessions: readonly SessionPayload[],
    origin: Origin,
  ): Promise<void> {
    const { actor = accountId, address, requestId = null } = origin;
    const base = { accountId, actor, address, requestId };
    const clientSessions = sessions.flatMap(clientSessionsOf);
    await notifications.add(clientSessions.map((session) => ({ ...base, ...session })));
  }

  /** Ends a marked session under its current ids. A request that saves it under another id finds the mark. */
  async function endMarked(accountId: string, uid: string): Promise<void> {
    const live = (await findLive(accountId)).filter((session) => openSession(session).uid === uid);
    for (const { key } of live) await endSessionPermanently(artifacts, key, now());
  }

  return {
    find: async (accountId) => (await findLive(accountId)).map(openSession).flatMap(clientSessionsOf),
    async endAll(accountId, origin) {
      const sessions = await findLive(accountId);
      // The notifications come first because the sessions can't be listed once they are revoked. A notification about a
      // log-out that never happens is harmless.
      await notify(accountId, sessions.map(openSession), origin);
      await artifacts.revokeAccount(accountId, now());
      await Promise.all(sessions.map(({ key }) => preventSessionRevival(artifacts, key, now())));
    },
    async list(owner) {
      const [sessions, grants] = await Promise.all([findValid(owner), findGrants(owner.id)]);
      const listed = sessions.map((session) => toAccountSession(session, grants));
      // A session that just gets a new id is stored twice.
      const byId = new Map(listed.sort(byLastUse).map((session) => [session.id, session]));
      return [...byId.values()].reverse();
    },
    async end(owner, sessionId, origin) {
      const session = (await findValid(owner)).find(({ uid }) => sessionIdOf(uid) === sessionId);
      if (!session) return false;
      // The session ends last: while it is listed, an interrupted call can be repeated.
      await notify(owner.id, [session], origin);
      const isFirst = await markSessionEnded(artifacts, session.uid, now());
      for (const { key } of grantsOf(session, await findGrants(owner.id)))
        await artifacts.revokeGrant(key, now());
      await endMarked(owner.id, session.uid);
      return isFirst;
    },
    endUpstreamSignIns: (logOut) => storeUpstreamLogOut(artifacts, logOut, now()),
    findAccountByUpstreamSid: (upstream) => findAccountByUpstreamSid(artifacts, upstream, now()),
  };
}

function byLastUse(a: AccountSession, b: AccountSession): number {
  return a.lastSeenAt.getTime() - b.lastSeenAt.getTime();
}

function toAccountSession(session: SessionPayload, grants: readonly SessionGrant[]): AccountSession {
  const startedAt = (session.loginTs ?? session.iat) * 1000;
  const unknown = {
    device: { kind: 'other' },
    address: '',
    firstSeenAt: startedAt,
    lastSeenAt: startedAt,
  } as const;
  const { device, address, firstSeenAt, lastSeenAt } = findActivity(session) ?? unknown;
  return {
    id: sessionIdOf(session.uid),
    device,
    address,
    firstSeenAt: new Date(firstSeenAt),
    lastSeenAt: new Date(lastSeenAt),
    clientIds: [...new Set(grantsOf(session, grants).map(({ clientId }) => clientId))],
    upstream: findUpstreamSession(session),
  };
}

function grantsOf({ uid }: SessionPayload, grants: readonly SessionGrant[]): SessionGrant[] {
  return grants.filter(({ sessionUid }) => sessionUid === uid);
}

const ID_LENGTH = 16;

/** Returns the public id of a session: a digest of its `uid`, which stays when the id in the cookie changes. */
export function sessionIdOf(uid: string): string {
  return hash('sha256', `session ${uid}`, 'hex').slice(0, ID_LENGTH);
}

/** Returns the client sessions that a session holds. */
export function clientSessionsOf({ authorizations = {} }: Pick<Session, 'authorizations'>): ClientSession[] {
  return Object.entries(authorizations).flatMap(([clientId, { sid } = {}]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  );
}
