import { AppError } from '@keydesk/server';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountSession, SessionOwner, SessionRegistry } from './session-registry.ts';

export interface SessionEndingsOptions {
  operations: AccountOperations;
  sessions: SessionRegistry;
}

/** Lists and ends single sessions (OWASP ASVS 5.0 §7.5.2). */
export interface SessionEndings {
  /** Returns the sessions of an account, the last used first. @throws {AppError} `not_found` */
  listSessions(accountId: string): Promise<readonly AccountSession[]>;
  /**
   * Ends a session with its grants and tokens.
   *
   * @throws {AppError} `not_found` if the account has no such session, even if another account has it
   */
  endSession(ended: { accountId: string; sessionId: string }, origin: Origin): Promise<void>;
  /** Ends every session but one. Resolves with the number of ended sessions. @throws {AppError} `not_found` */
  endOtherSessions(kept: { accountId: string; sessionId: string }, origin: Origin): Promise<number>;
}

export function createSessionEndings({ operations, sessions }: SessionEndingsOptions): SessionEndings {
  async function end(owner: SessionOwner, session: AccountSession, origin: Origin): Promise<boolean> {
    const { id } = session;
    if (!(await sessions.end(owner, id, origin))) return false;
    await operations.recordEvent('session.ended', owner.id, origin, { session: id });
    return true;
  }

  return {
    listSessions: async (accountId) => sessions.list(await operations.get(accountId)),
    async endSession({ accountId, sessionId }, origin) {
      const owner = await operations.get(accountId);
      const session = (await sessions.list(owner)).find(({ id }) => id === sessionId);
      if (!session) throw new AppError('not_found', `The account has no session ${sessionId}.`);
      await end(owner, session, origin);
    },
    async endOtherSessions({ accountId, sessionId }, origin) {
      const owner = await operations.get(accountId);
      const others = (await sessions.list(owner)).filter(({ id }) => id !== sessionId);
      let count = 0;
      for (const session of others) if (await end(owner, session, origin)) count += 1;
      return count;
    },
  };
}
