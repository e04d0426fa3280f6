import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { boundedCommit } from './mongo.ts';
import { createSessions, type RecordedSession } from './sessions.ts';

/** Runs the transactions of one process. */
export interface Transactions {
  /**
   * Commits `work` in one transaction and retries it after conflicts. `work` can call `session.abortTransaction()`.
   *
   * @throws {AppError} `unavailable` when conflicts continue past the retry limit; errors of `work` propagate
   */
  run<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /**
   * Commits `work` as `run` does, without a retry. Rejects with an error that `isConflict` recognizes when nothing was
   * committed because of another transaction.
   */
  runOnce<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts transactions of stopped processes, which MongoDB would keep for a minute. Takes about a second. */
  endStalled(): Promise<void>;
}

export interface TransactionOptions {
  /** Time limit for retries after conflicts. The last attempt and its commit may add up to 5 s. */
  retryLimitMs?: number | undefined;
}

const RETRY_LIMIT_MS = 5_000;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** Pause between looks for stopped processes, which are found by observing them for a second. */
const LOOK_INTERVAL_MS = 200;

const transactionOptions = { ...boundedCommit, readConcern: { level: 'snapshot' } } as const;

/** Runs transactions with a time limit for retries. The driver's `withTransaction` retries for two minutes. */
export function createTransactions(
  connection: Connection,
  { retryLimitMs = RETRY_LIMIT_MS }: TransactionOptions = {},
): Transactions {
  const sessions = createSessions(connection);
  let nextLookAt = Number.NEGATIVE_INFINITY;

  /** Rethrows anything but a conflict; otherwise looks whether a stopped process causes it. */
  async function handleConflict(err: unknown): Promise<void> {
    if (!isConflict(err)) throw err;
    if (performance.now() < nextLookAt) return;
    nextLookAt = performance.now() + LOOK_INTERVAL_MS;
    await sessions.endStalled();
  }

  async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + retryLimitMs;
    let attempts = 0;
    let cause: unknown;
    while (performance.now() < giveUpAt) {
      try {
        return await attempt();
      } catch (err) {
        attempts += 1;
        cause = err;
        await handleConflict(err);
        await sleep(Math.random() * Math.min(FIRST_PAUSE_MS * 1.5 ** attempts, MAX_PAUSE_MS));
      }
    }
    throw new AppError('unavailable', 'Too many concurrent changes; retry shortly.', {
      retryAfterSeconds: 1,
      cause,
    });
  }

  return {
    run: (work) => sessions.use((session) => retryConflicts(() => runInTransaction(session, work))),
    runOnce: (work) =>
      sessions.use(async (session) => {
        try {
          return await runInTransaction(session, work);
        } catch (err) {
          await handleConflict(err);
          throw err;
        }
      }),
    async endStalled() {
      const waitMs = await sessions.endStalled();
      if (waitMs === undefined) return;
      await sleep(waitMs);
      await sessions.endStalled();
    },
  };
}

/** Whether the transaction was aborted because of another transaction or a lost connection; nothing was committed. */
export function isConflict(err: unknown): boolean {
  return hasLabel(err, 'TransientTransactionError');
}

async function runInTransaction<T>(
  { session, recordNext }: RecordedSession,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  await recordNext();
  session.startTransaction(transactionOptions);
  try {
    const result = await work(session);
    if (session.inTransaction()) await commit(session);
    return result;
  } catch (err) {
    if (session.inTransaction()) await session.abortTransaction();
    throw err;
  }
}

/** Retries a commit once when a lost connection hid its result; the driver itself also retries once. */
async function commit(session: ClientSession): Promise<void> {
  try {
    await session.commitTransaction();
  } catch (err) {
    if (!hasLabel(err, 'UnknownTransactionCommitResult') || isTimeLimit(err)) throw err;
    await session.commitTransaction();
  }
}

function hasLabel(err: unknown, label: string): boolean {
  return err instanceof mongo.MongoError && err.hasErrorLabel(label);
}

const MAX_TIME_MS_EXPIRED = 50;

/** Whether an operation reached its time limit, such as a write blocked by another transaction. */
export function isTimeLimit(err: unknown): boolean {
  return err instanceof mongo.MongoServerError && err.code === MAX_TIME_MS_EXPIRED;
}
