import type { ClientSession, Connection, mongo } from 'mongoose';
import { QUERY_LIMIT_MS } from './mongo.ts';

/** A session for one transaction at a time. */
export interface NotedSession {
  session: ClientSession;
  /** Records that the session is in use; to be awaited before each transaction. */
  note(): Promise<void>;
}

/** The sessions in which a process runs transactions; each is recorded, so that other processes can end it. */
export interface Sessions {
  use<T>(work: (session: NotedSession) => Promise<T>): Promise<T>;
  /** Ends what sessions do that have not been noted for seconds. A process that is only slow tries again. */
  endStalled(): Promise<void>;
}

interface SessionRecord {
  /** The id of the session. */
  _id: mongo.Binary;
  at: Date;
}

const STALLED_MS = 3_000;
const NOTED_EVERY_MS = 500;
const bounded = { maxTimeMS: QUERY_LIMIT_MS };

/** MongoDB deletes the record of a session a day after its last use. */
export const sessionIndexes = [{ name: 'at', key: { at: 1 } as const, expireAfterSeconds: 86_400 }];
export const sessionCollection = 'committers';

export function createSessions(connection: Connection): Sessions {
  const records = connection.collection<SessionRecord>(sessionCollection);
  const idle: NotedSession[] = [];

  async function open(): Promise<NotedSession> {
    const session = await connection.startSession();
    let notedAt = Number.NEGATIVE_INFINITY;
    return {
      session,
      async note() {
        const _id = session.id?.id;
        if (!_id || performance.now() - notedAt < NOTED_EVERY_MS) return;
        await records.updateOne({ _id }, { $set: { at: new Date() } }, { upsert: true, ...bounded });
        notedAt = performance.now();
      },
    };
  }

  return {
    async use(work) {
      const session = idle.pop() ?? (await open());
      try {
        return await work(session);
      } finally {
        idle.push(session);
      }
    },
    async endStalled() {
      const stalled = await records
        .find({ at: { $lt: new Date(Date.now() - STALLED_MS) } }, bounded)
        .toArray();
      if (stalled.length === 0) return;
      await connection.db?.command({ killSessions: stalled.map(({ _id }) => ({ id: _id })) });
      await records.deleteMany({ $or: stalled }, bounded);
    },
  };
}
