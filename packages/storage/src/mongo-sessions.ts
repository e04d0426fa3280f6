import type { ClientSession, Connection, mongo } from 'mongoose';
import { QUERY_LIMIT_MS } from './mongo.ts';

/** A session with recorded use; it runs one transaction at a time. */
export interface RecordedSession {
  session: ClientSession;
  /** Records the use of the session; await it before each transaction. */
  recordUse(): Promise<void>;
}

/** Transaction sessions of a process; they are recorded, so that other processes can end them. */
export interface Sessions {
  use<T>(work: (session: RecordedSession) => Promise<T>): Promise<T>;
  /** Ends sessions unused for seconds. A process that is only slow retries its transaction. */
  endStalled(): Promise<void>;
}

interface SessionRecord {
  /** Session id. */
  _id: mongo.Binary;
  at: Date;
}

const STALLED_MS = 3_000;
const RECORD_INTERVAL_MS = 500;
const bounded = { maxTimeMS: QUERY_LIMIT_MS };

/** Index by which MongoDB deletes the record of a session a day after its last use. */
export const sessionIndexes = [{ name: 'at', key: { at: 1 } as const, expireAfterSeconds: 86_400 }];
export const sessionCollection = 'committers';

export function createSessions(connection: Connection): Sessions {
  const records = connection.collection<SessionRecord>(sessionCollection);
  const idle: RecordedSession[] = [];

  async function open(): Promise<RecordedSession> {
    const session = await connection.startSession();
    let notedAt = Number.NEGATIVE_INFINITY;
    return {
      session,
      async recordUse() {
        const _id = session.id?.id;
        if (!_id || performance.now() - notedAt < RECORD_INTERVAL_MS) return;
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
