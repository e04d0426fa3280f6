import type { ClientSession, Connection, mongo } from 'mongoose';

/** The one session in which a process commits, for its commits run one after the other. */
export interface Committer {
  /** The session, noted as in use by now. */
  take(): Promise<ClientSession>;
  /**
   * Aborts the transactions of processes that have not committed for seconds: MongoDB would keep that of a killed process
   * open for a minute, and every other process out of the feed of staff. Whoever is only slow tries again.
   */
  endStalled(): Promise<void>;
}

/** A session that commits; the id is that of the session. */
interface NotedSession {
  _id: mongo.Binary;
  at: Date;
}

const STALLED_MS = 3_000;
const NOTED_EVERY_MS = 500;

/** A session is forgotten when it has committed nothing for a day. */
export const committerIndexes = [{ name: 'at', key: { at: 1 } as const, expireAfterSeconds: 86_400 }];
export const committerCollection = 'committers';

export function createCommitter(connection: Connection): Committer {
  const noted = connection.collection<NotedSession>(committerCollection);
  let taken: ClientSession | undefined;
  let notedAt = Number.NEGATIVE_INFINITY;

  return {
    async take() {
      taken ??= await connection.startSession();
      const id = taken.id?.id;
      if (id && performance.now() - notedAt > NOTED_EVERY_MS) {
        await noted.updateOne({ _id: id }, { $set: { at: new Date() } }, { upsert: true });
        notedAt = performance.now();
      }
      return taken;
    },
    async endStalled() {
      const stalled = await noted.find({ at: { $lt: new Date(Date.now() - STALLED_MS) } }).toArray();
      if (stalled.length === 0) return;
      await connection.db?.command({ killSessions: stalled.map(({ _id }) => ({ id: _id })) });
      await noted.deleteMany({ $or: stalled });
    },
  };
}
