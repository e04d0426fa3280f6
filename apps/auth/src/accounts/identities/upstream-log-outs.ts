import type { UpstreamLogOutRecord } from '../../artifacts/upstream-log-outs.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { UpstreamSession } from '../account/authentication.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import type { IdentityStore } from './identity-store.ts';

export interface UpstreamLogOutsOptions {
  operations: AccountOperations;
  store: Pick<AccountStore, 'find'>;
  storage: { identities: Pick<IdentityStore, 'findByIdentity'> };
  sessions: SessionRegistry;
}

/** Log-out at a provider: of the session `sid`, or of all sessions of its user. At least one of both is set. */
export interface UpstreamLogOut extends UpstreamLogOutRecord {
  /** Id of the provider in the audit log. */
  providerId: string;
}

export interface UpstreamLogOuts {
  /**
   * Ends the sessions that a provider's session or user opened, with their grants and tokens, and notifies their
   * clients. A sign-in that still waits for its second factor ends, too. Resolves with the number of sessions.
   */
  endUpstreamSessions(logOut: UpstreamLogOut, origin: Origin): Promise<number>;
}

export function createUpstreamLogOuts(options: UpstreamLogOutsOptions): UpstreamLogOuts {
  const { operations, store, sessions } = options;
  const { identities } = options.storage;

  async function findOwner({ issuer, subject, sid }: UpstreamLogOut): Promise<string | undefined> {
    const bySid = sid === undefined ? undefined : await sessions.findAccountByUpstreamSid({ issuer, sid });
    if (bySid !== undefined || subject === undefined) return bySid;
    return (await identities.findByIdentity(issuer, subject))?.accountId;
  }

  return {
    async endUpstreamSessions(logOut, origin) {
      // Stored first, so that a session stored in the meantime finds it.
      await sessions.endUpstreamSignIns(logOut);
      const accountId = await findOwner(logOut);
      const owner = accountId === undefined ? undefined : await store.find(accountId);
      if (!owner) return 0;
      let count = 0;
      for (const { id, upstream } of await sessions.list(owner)) {
        if (!upstream || !isMeant(upstream, logOut) || !(await sessions.end(owner, id, origin))) continue;
        const details = { session: id, provider: logOut.providerId };
        await operations.recordEvent('session.ended', owner.id, origin, details);
        count += 1;
      }
      return count;
    },
  };
}

/** Whether a log-out means the session. One without a remembered `sid` ends with its user's. */
function isMeant(session: UpstreamSession, { issuer, subject, sid }: UpstreamLogOut): boolean {
  if (session.issuer !== issuer || (subject !== undefined && session.subject !== subject)) return false;
  if (sid === undefined) return true;
  return session.sid === undefined ? subject !== undefined : session.sid === sid;
}
