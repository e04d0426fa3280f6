import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import { isBusy, toStorageError } from './errors.ts';

/** Options of group commit. */
export interface WriteGroupsOptions {
  /** Time limit of a group for the write lock, after which its changes are refused as `unavailable`. */
  lockTimeoutMs: number;
  /** Time limit of other statements for a lock. */
  statementLockTimeoutMs: number;
  /** Called after each commit, before its changes are acknowledged. */
  onCommit(): void;
}

/** Group commit of writes. */
export interface WriteGroups {
  write<T>(change: () => T): Promise<T>;
  /** Refuses further changes and resolves when pending ones are settled. */
  close(): Promise<void>;
}

interface Pending {
  change: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

type Acknowledge = () => void;

/** Applies a change in the open transaction; returns a function that settles its promise after the commit. */
type Apply = (pending: Pending) => Acknowledge;

/** Maximum changes per transaction, which limits the time it blocks the event loop and the write lock. */
const MAX_GROUP = 256;

/**
 * Turns of the event loop that a commit waits for further changes. They take about 20 µs when idle; under load, they
 * include the requests in progress. With one turn, creating a ticket takes 1.06 times as much CPU time (decision 23).
 */
const TURNS_TO_JOIN = 8;

/**
 * Creates a group commit: the changes of a few turns of the event loop share one transaction. When one of them fails,
 * all run again, each in its own savepoint. Depending on the disk, a durable commit blocks the event loop for 150 µs to
 * many milliseconds; a change within it takes about 10 µs.
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

/** Commits a group and settles all its changes; never rejects. */
async function commitGroup(
  db: DatabaseSync,
  { group, applyInSavepoint }: { group: readonly Pending[]; applyInSavepoint: Apply },
  options: WriteGroupsOptions,
): Promise<void> {
  try {
    await acquireWriteLock(db, options);
    let acknowledgements = applyTogether(db, group);
    if (!acknowledgements) {
      await acquireWriteLock(db, options);
      acknowledgements = group.map(applyInSavepoint);
    }
    db.exec('COMMIT');
    options.onCommit();
    for (const settle of acknowledgements) settle();
  } catch (err) {
    const reason = toStorageError(rollBack(db, err));
    for (const { reject } of group) reject(reason);
  }
}

/**
 * Rolls back and returns the reason of the failure. If the rollback fails, the next group retries it and is refused,
 * too.
 */
function rollBack(db: DatabaseSync, reason: unknown): unknown {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
    return reason;
  } catch (err) {
    return new AppError('unavailable', 'The database is temporarily unavailable; retry shortly.', {
      cause: new AggregateError([reason, err], 'A failed transaction cannot be rolled back.'),
    });
  }
}

/**
 * Applies changes that are not expected to fail. Returns `undefined` after a rollback when one of several fails.
 * Savepoints would undo changes one by one, but SQLite then keeps the previous version of each page and scans them
 * after every statement that may fail partway, which makes large changes ten times slower.
 */
function applyTogether(db: DatabaseSync, group: readonly Pending[]): Acknowledge[] | undefined {
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

/** Applies each change in its own savepoint, so that a failed one is rolled back alone. */
function createApplyInSavepoint(db: DatabaseSync): Apply {
  // Prepared, because parsing costs as much as a small change.
  const begin = db.prepare('SAVEPOINT change');
  const release = db.prepare('RELEASE change');

  return function applyInSavepoint({ change, resolve, reject }) {
    begin.run();
    try {
      const value = change();
      release.run();
      return () => resolve(value);
    } catch (err) {
      // Some errors, such as a full disk, make the engine roll back the whole transaction.
      if (!db.isTransaction) throw err;
      db.exec('ROLLBACK TO change; RELEASE change');
      return () => reject(toStorageError(err));
    }
  };
}

/** Begins a transaction with the write lock; waits for other processes without blocking the event loop. */
async function acquireWriteLock(
  db: DatabaseSync,
  { lockTimeoutMs, statementLockTimeoutMs }: WriteGroupsOptions,
) {
  const giveUpAt = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
      return;
    } catch (err) {
      if (!isBusy(err) || performance.now() > giveUpAt) throw err;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${statementLockTimeoutMs}`);
    }
    await sleep(1 + Math.random() * 10);
  }
}
