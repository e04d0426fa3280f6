import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { boundedCommit } from './mongo.ts';
import { createSessions, type RecordedSession } from './mongo-sessions.ts';

/** Runs the transactions of one process. */
export interface Transactions {
  /**
   * Commits `work` in one transaction and retries it after conflicts. `work` can call `session.abortTransaction()`.
   *
   * @throws {AppError} `unavailable` when conflicts continue past the retry limit; errors of `work` propagate
   */
  run<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts transactions of crashed processes, which MongoDB keeps open for a minute. */
  endStalled(): Promise<void>;
}

export interface TransactionOptions {
  /** Time limit for retries after conflicts. The last attempt and its commit may add up to 5 s. */
  retryLimitMs?: number | undefined;
}

const RETRY_LIMIT_MS = 5_000;
const ATTEMPTS_BEFORE_ENDING_STALLED = 4;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;

const transactionOptions = { ...boundedCommit, readConcern: { level: 'snapshot' } } as const;

/** Runs transactions with a time limit for retries. The driver's `withTransaction` retries for two minutes. */
export function createTransactions(
  connection: Connection,
  { retryLimitMs = RETRY_LIMIT_MS }: TransactionOptions = {},
): Transactions {
  const sessions = createSessions(connection);

  async function handleConflict(err: unknown, attempts: number): Promise<void> {
    if (!hasLabel(err, 'TransientTransactionError')) throw err;
    if (attempts % ATTEMPTS_BEFORE_ENDING_STALLED === 0) await sessions.endStalled();
    await sleep(Math.random() * Math.min(FIRST_PAUSE_MS * 1.5 ** attempts, MAX_PAUSE_MS));
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
        await handleConflict(err, attempts);
      }
    }
    throw new AppError('unavailable', 'Too many concurrent changes; retry shortly.', {
      retryAfterSeconds: 1,
      cause,
    });
  }

  return {
    run: (work) => sessions.use((session) => retryConflicts(() => runOnce(session, work))),
    endStalled: sessions.endStalled,
  };
}

async function runOnce<T>(
  { session, recordUse }: RecordedSession,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  await recordUse();
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
