import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { boundedCommit } from './mongo.ts';
import { createSessions } from './mongo-sessions.ts';

/** Runs the transactions of one process. */
export interface Transactions {
  /**
   * Commits `work` in one transaction and repeats it after conflicts. `work` aborts by `session.abortTransaction()`.
   *
   * @throws {AppError} `unavailable` when conflicts outlast the patience; whatever `work` throws
   */
  run<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts the transactions of processes that died, which MongoDB itself keeps open for a minute. */
  endStalled(): Promise<void>;
}

export interface TransactionOptions {
  /** Bounds how long conflicts are retried. The last attempt and its commit add up to 5 s. */
  patienceMs?: number | undefined;
}

const PATIENCE_MS = 5_000;
const ATTEMPTS_BEFORE_ENDING_STALLED = 4;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;

const transactionOptions = { ...boundedCommit, readConcern: { level: 'snapshot' } } as const;

/** Replaces the driver's `withTransaction`, which repeats for two minutes whatever the caller waits for. */
export function createTransactions(
  connection: Connection,
  { patienceMs = PATIENCE_MS }: TransactionOptions = {},
): Transactions {
  const sessions = createSessions(connection);

  async function recover(err: unknown, attempts: number): Promise<void> {
    if (!hasLabel(err, 'TransientTransactionError')) throw err;
    if (attempts % ATTEMPTS_BEFORE_ENDING_STALLED === 0) await sessions.endStalled();
    await sleep(Math.random() * Math.min(FIRST_PAUSE_MS * 1.5 ** attempts, MAX_PAUSE_MS));
  }

  async function persist<T>(attempt: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + patienceMs;
    let attempts = 0;
    let cause: unknown;
    while (performance.now() < giveUpAt) {
      try {
        return await attempt();
      } catch (err) {
        attempts += 1;
        cause = err;
        await recover(err, attempts);
      }
    }
    throw new AppError('unavailable', 'Too many changes are made at once; try again shortly.', {
      headers: { 'Retry-After': '1' },
      cause,
    });
  }

  return {
    run: (work) => sessions.use((session) => persist(() => runOnce(session, work))),
    endStalled: sessions.endStalled,
  };
}

async function runOnce<T>(
  { session, note }: { session: ClientSession; note: () => Promise<void> },
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  await note();
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

/** Repeats a commit once whose outcome a lost connection left unknown, beside the one time that the driver does. */
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

/** Whether the server gave up at a time limit, as it does with a write to what another transaction holds. */
export function isTimeLimit(err: unknown): boolean {
  return err instanceof mongo.MongoServerError && err.code === MAX_TIME_MS_EXPIRED;
}
