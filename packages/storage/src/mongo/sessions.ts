import { type ClientSession, type Connection, mongo } from 'mongoose';
import { QUERY_LIMIT_MS } from './mongo.ts';

/** A session with recorded transactions; it runs one at a time. */
export interface RecordedSession {
  session: ClientSession;
  /** Records the next transaction; await it before its start. That transaction must send a command. */
  recordNext(): Promise<void>;
}

/**
 * Transaction sessions of a process. A stopped or killed process leaves its transactions open, and MongoDB keeps their
 * locks for a minute. So each transaction is recorded with a beat, which its process increments while it runs. Where a
 * beat stops, other processes abort the transaction: `abortTransaction` is a command of a session, and sessions belong
 * to their user, so that it needs no privilege. It cannot undo a commit: MongoDB refuses it as soon as it has executed
 * the commit, however long the acknowledgement of a majority takes.
 */
export interface Sessions {
  use<T>(work: (session: RecordedSession) => Promise<T>): Promise<T>;
  /**
   * Compares beats with those of earlier calls, and aborts transactions whose beat has not changed for a second.
   * Returns the time in milliseconds until the next call can abort one, if any is suspect. A process that is only slow
   * retries its transaction.
   */
  endStalled(): Promise<number | undefined>;
}

interface SessionRecord {
  /** Session id. */
  _id: mongo.Binary;
  /** Number of its latest transaction. */
  transaction: number;
  beat: number;
  at: Date;
}

const BEAT_MS = 300;
/** Observed by the clock of the observer alone, so that clocks need not agree. */
const STALLED_MS = 1_200;
/**
 * Not `majority`: the beat continues while a majority is slow, and a lost record delays other processes by at most a
 * minute.
 */
const unreplicated = { writeConcern: { w: 1 }, maxTimeMS: QUERY_LIMIT_MS } as const;
const bounded = { maxTimeMS: QUERY_LIMIT_MS, readConcern: { level: 'local' } } as const;

/** Index by which MongoDB deletes the record of a session a day after its last use. */
export const sessionIndexes = [{ name: 'at', key: { at: 1 } as const, expireAfterSeconds: 86_400 }];
export const sessionCollection = 'committers';

export function createSessions(connection: Connection): Sessions {
  const records = connection.collection<SessionRecord>(sessionCollection);
  const idle: RecordedSession[] = [];
  const beats = createBeats(records);

  async function open(): Promise<RecordedSession> {
    const session = await connection.startSession();
    return {
      session,
      async recordNext() {
        const { serverSession } = session;
        // The driver increments the number with the first command.
        const set = { transaction: serverSession.txnNumber + 1, at: new Date() };
        const change = { $set: set, $inc: { beat: 1 } };
        await records.updateOne({ _id: serverSession.id.id }, change, { upsert: true, ...unreplicated });
      },
    };
  }

  return {
    async use(work) {
      const session = idle.pop() ?? (await open());
      const stopBeat = beats.start(session.session.serverSession.id.id);
      try {
        return await work(session);
      } finally {
        stopBeat();
        idle.push(session);
      }
    },
    endStalled: createWatch(connection, records),
  };
}

/** Increments the beats of the sessions in use, with one command. */
function createBeats(records: mongo.Collection<SessionRecord>) {
  const inUse = new Set<mongo.Binary>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer ??= setTimeout(beat, BEAT_MS).unref();
  }

  async function beat(): Promise<void> {
    const own = timer;
    const _id = { $in: [...inUse] };
    // To other processes, a beat that cannot be recorded looks like a stopped process.
    await records.updateMany({ _id }, { $inc: { beat: 1 } }, unreplicated).catch(() => undefined);
    if (timer !== own) return;
    timer = undefined;
    if (inUse.size > 0) schedule();
  }

  return {
    start(id: mongo.Binary): () => void {
      inUse.add(id);
      schedule();
      return () => {
        inUse.delete(id);
        if (inUse.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}

function createWatch(
  connection: Connection,
  records: mongo.Collection<SessionRecord>,
): Sessions['endStalled'] {
  /** Beats, and since when they have been the same. */
  let seen = new Map<string, { beat: number; since: number }>();

  return async () => {
    const now = performance.now();
    const current = await records.find({}, bounded).toArray();
    const earlier = seen;
    seen = new Map();
    const waits: number[] = [];
    for (const record of current) {
      const key = record._id.toString('hex');
      const known = earlier.get(key);
      const since = known && known.beat === record.beat ? known.since : now;
      if (now - since >= STALLED_MS) {
        await abort(connection, record);
        await records.deleteOne({ _id: record._id, beat: record.beat }, unreplicated);
      } else {
        seen.set(key, { beat: record.beat, since });
        waits.push(since + STALLED_MS - now);
      }
    }
    return waits.length > 0 ? Math.max(...waits) : undefined;
  };
}

/** Aborts the transaction of another process, unless it has ended. */
async function abort(connection: Connection, { _id, transaction }: SessionRecord): Promise<void> {
  const session = await connection.startSession();
  try {
    // Marked as dirty, so that the driver does not use the session of the other process again.
    Object.assign(session.serverSession, { id: { id: _id }, txnNumber: transaction, isDirty: true });
    await connection.getClient().db('admin').command({ abortTransaction: 1 }, { session });
  } catch (err) {
    // Committed, aborted, or followed by another transaction.
    if (!(err instanceof mongo.MongoServerError)) throw err;
  } finally {
    await session.endSession();
  }
}
