import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/http';

export interface WriteGroups {
  write<T>(change: () => T): Promise<T>;
  /** Resolves when nothing is waiting to be written. */
  idle(): Promise<void>;
}

interface Pending {
  change: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

type Outcome = { value: unknown } | { reason: unknown };

const MAX_GROUP = 256;
const LOCK_PATIENCE_MS = 5_000;
const SQLITE_BUSY = 5;

/**
 * Group commit: the changes of one turn of the event loop share one transaction, each in a savepoint of its own.
 * A durable commit costs 150 µs and more, a change within it about 9 µs.
 */
export function createWriteGroups(db: DatabaseSync): WriteGroups {
  let queue: Pending[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.slice(0, MAX_GROUP);
      queue = queue.slice(MAX_GROUP);
      await commitGroup(db, group);
    }
    running = undefined;
  }

  return {
    write<T>(change: () => T) {
      return new Promise<T>((resolve, reject) => {
        queue.push({ change, resolve: resolve as (value: unknown) => void, reject });
        running ??= drain();
      });
    },
    async idle() {
      await running;
    },
  };
}

async function commitGroup(db: DatabaseSync, group: readonly Pending[]): Promise<void> {
  try {
    await begin(db);
    const outcomes = runAll(db, group);
    db.exec('COMMIT');
    for (const [i, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[i];
      if (outcome && 'value' in outcome) resolve(outcome.value);
      else reject(outcome?.reason);
    }
  } catch (err) {
    if (db.isTransaction) db.exec('ROLLBACK');
    for (const { reject } of group) reject(err);
  }
}

function runAll(db: DatabaseSync, group: readonly Pending[]): Outcome[] {
  return group.map(({ change }) => {
    db.exec('SAVEPOINT change');
    try {
      const value = change();
      db.exec('RELEASE change');
      return { value };
    } catch (reason) {
      db.exec('ROLLBACK TO change; RELEASE change');
      return { reason };
    }
  });
}

/** Takes the write lock; while another process holds it, waits without blocking the event loop. */
async function begin(db: DatabaseSync): Promise<void> {
  const giveUpAt = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      db.exec('BEGIN IMMEDIATE');
      return;
    } catch (err) {
      if (!isBusy(err)) throw err;
      if (performance.now() > giveUpAt) {
        throw new AppError('unavailable', 'The database is busy; try again shortly.', {
          headers: { 'Retry-After': '1' },
          cause: err,
        });
      }
    }
    await sleep(1 + Math.random() * 10);
  }
}

function isBusy(err: unknown): boolean {
  return (
    err instanceof Error &&
    'errcode' in err &&
    typeof err.errcode === 'number' &&
    (err.errcode & 0xff) === SQLITE_BUSY
  );
}
