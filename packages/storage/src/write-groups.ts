import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import { isBusy, toStorageError } from './sqlite-errors.ts';

/** How writes are gathered. */
export interface WriteGroupsOptions {
  /** How long a group waits for the write lock before its changes are refused as `unavailable`. */
  lockPatienceMs: number;
  /** How long a statement other than the wait for the write lock may block on a lock. */
  blockingWaitMs: number;
  /** Called at each commit, before any of its changes is acknowledged. */
  onCommit(): void;
}

/** Writes that share commits. */
export interface WriteGroups {
  write<T>(change: () => T): Promise<T>;
  /** Refuses further changes and resolves when those already given are settled. */
  close(): Promise<void>;
}

interface Pending {
  change: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

type Settle = () => void;

/** Makes a change in the open transaction, and returns what tells its writer once that is committed. */
type Apply = (pending: Pending) => Settle;

/** Bounds how long one transaction keeps the event loop and the write lock. */
const MAX_GROUP = 256;

/**
 * For how many turns of the event loop a commit waits for changes to join it. They are over in some 20 µs where nothing
 * else is to be done, and take in the requests that are being answered where there are many.
 */
const TURNS_TO_JOIN = 8;

/**
 * Group commit: the changes of a few turns of the event loop share one transaction. When one of them fails, all begin anew,
 * each in a savepoint of its own.
 * A durable commit costs from 150 µs to many milliseconds, by the disk, and keeps the event loop for so long; a change
 * within it costs some 10 µs.
 */
export function createWriteGroups(db: DatabaseSync, options: WriteGroupsOptions): WriteGroups {
  const applyInSavepoint = createApplyInSavepoint(db);
  let queue: Pending[] = [];
  let draining: Promise<void> | undefined;
  let isClosed = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      for (let turn = 0; turn < TURNS_TO_JOIN; turn += 1) await nextTurn();
      const group = queue.slice(0, MAX_GROUP);
      queue = queue.slice(MAX_GROUP);
      await commitGroup(db, { group, applyInSavepoint }, options);
    }
    draining = undefined;
  }

  return {
    write<T>(change: () => T) {
      if (isClosed) return Promise.reject(new AppError('unavailable', 'The database is closed.'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ change, resolve: resolve as (value: unknown) => void, reject });
        draining ??= drain();
      });
    },
    async close() {
      isClosed = true;
      await draining;
    },
  };
}

/** Settles every change of the group, after the commit; never rejects. */
async function commitGroup(
  db: DatabaseSync,
  { group, applyInSavepoint }: { group: readonly Pending[]; applyInSavepoint: Apply },
  options: WriteGroupsOptions,
): Promise<void> {
  try {
    await takeWriteLock(db, options);
    let settlements = applyTogether(db, group);
    if (!settlements) {
      await takeWriteLock(db, options);
      settlements = group.map(applyInSavepoint);
    }
    db.exec('COMMIT');
    options.onCommit();
    for (const settle of settlements) settle();
  } catch (err) {
    const reason = toStorageError(rollBack(db, err));
    for (const { reject } of group) reject(reason);
  }
}

/**
 * Returns why the group failed. What cannot be undone now is left to the next group, which cannot begin before it is,
 * and is refused too.
 */
function rollBack(db: DatabaseSync, reason: unknown): unknown {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
    return reason;
  } catch (err) {
    return new AppError('unavailable', 'The database cannot answer right now.', {
      cause: new AggregateError([reason, err], 'A transaction that failed cannot be rolled back.'),
    });
  }
}

/**
 * Applies changes none of which is expected to fail; `undefined`: one of several did, and nothing is left of any. In
 * savepoints they could be undone one by one, but there SQLite keeps each page as it was before, and goes through all of
 * those after every statement that might have failed halfway: it would slow a large change down tenfold.
 */
function applyTogether(db: DatabaseSync, group: readonly Pending[]): Settle[] | undefined {
  try {
    return group.map(({ change, resolve }) => {
      const value = change();
      return () => resolve(value);
    });
  } catch (err) {
    if (group.length === 1 || !db.isTransaction) throw err;
    db.exec('ROLLBACK');
    return undefined;
  }
}

/** One that fails is rolled back alone. */
function createApplyInSavepoint(db: DatabaseSync): Apply {
  // Prepared, for one that is parsed again costs as much as a small change does.
  const begin = db.prepare('SAVEPOINT change');
  const release = db.prepare('RELEASE change');

  return function applyInSavepoint({ change, resolve, reject }) {
    begin.run();
    try {
      const value = change();
      release.run();
      return () => resolve(value);
    } catch (err) {
      // A full disk, for one, makes the engine give up the whole transaction.
      if (!db.isTransaction) throw err;
      db.exec('ROLLBACK TO change; RELEASE change');
      return () => reject(toStorageError(err));
    }
  };
}

/** Begins a transaction with the write lock held; while another process holds it, leaves the event loop free. */
async function takeWriteLock(db: DatabaseSync, { lockPatienceMs, blockingWaitMs }: WriteGroupsOptions) {
  const giveUpAt = performance.now() + lockPatienceMs;
  for (;;) {
    try {
      db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
      return;
    } catch (err) {
      if (!isBusy(err) || performance.now() > giveUpAt) throw err;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${blockingWaitMs}`);
    }
    await sleep(1 + Math.random() * 10);
  }
}
