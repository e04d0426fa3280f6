import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '@keydesk/errors';
import { ensureFolder } from './ensure-folder.ts';
import { isBusy, lacksSharedMemory, toStorageError } from './sqlite-errors.ts';
import { createWriteGroups, type WriteGroups } from './write-groups.ts';

/** Which file, in which shape. */
export interface SqliteOptions {
  /** Path of the database file. It and its folder are made when missing, for this user alone. */
  path: string;
  /** Step i brings a database of `user_version` i to i + 1. Published steps never change. */
  migrations: readonly string[];
  /** Marks the file as this program's (`PRAGMA application_id`); the file of another one is refused. */
  applicationId?: number;
  /** Files up to this `user_version` were not marked yet: they are taken, and marked. */
  unmarkedUntil?: number;
  /**
   * How much of the file is kept in memory, in MiB; 64 by default. SQLite goes through all of it at the end of each
   * transaction that splits a page: less is better for small transactions that find little again.
   */
  cacheMiB?: number;
  /** How long a write waits while another process keeps the write lock; 5,000 ms by default. */
  lockPatienceMs?: number;
  /**
   * For a program that writes very much and could do so again: it takes more memory, and waits for the disk only now
   * and then. A loss of power may take the latest of its commits, but does no other harm.
   */
  isBulk?: boolean;
}

/** An open SQLite database that several processes may share. */
export interface Sqlite {
  /** Prepares a statement for use inside `read` or `write`. */
  prepare(sql: string): StatementSync;
  /**
   * Runs `query`, whose statements all see the same committed state; inside `write`, the changes so far too.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  read<T>(query: () => T): T;
  /**
   * Runs one statement, which sees one committed state by itself: at half of what `read` costs.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  readOne<T>(statement: () => T): T;
  /**
   * A number that is another one after every commit, by whatever process: what was read since it was told is what
   * would be read now, for as long as it is the same. Costs less than any query.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  state(): number;
  /**
   * Runs the synchronous `change` in a transaction and resolves with its result once that is durable. Changes that
   * arrive within a few turns of the event loop share one commit; one that throws is rolled back alone and rejects alone,
   * for which those that share its commit are undone and called once more: a change must do nothing but to the database.
   *
   * @throws {AppError} `unavailable` when the engine fails, or another process keeps the write lock for too long.
   */
  write: WriteGroups['write'];
  /** Refuses further writes, waits for those in flight, then closes the file. */
  close(): Promise<void>;
}

/** Opening may wait this long for other processes that open, migrate or recover the same file. */
const OPENING_WAIT_MS = 10_000;
/**
 * 16 MB in the log before pages go to their places in the file, which waits for the disk twice: pages that change again
 * and again, as those of indexes do, go there a quarter as often as with SQLite's 4 MB.
 */
const SETTINGS = 'PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000';
/** Up to a gigabyte of pages in memory, and another in the log: much is written in another order than indexes are in. */
const BULK_SETTINGS =
  'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1048576; PRAGMA wal_autocheckpoint = 262144';
/** A reader only ever waits while another process recovers the log of one that was killed. */
const READING_WAIT_MS = 1_000;

/**
 * Opens a SQLite file with the settings that Keydesk's promises rest on: WAL so that readers never wait for writers,
 * `synchronous=FULL` so that what was acknowledged survives a power cut, enforced foreign keys.
 *
 * @throws {Error} with one readable message when the file cannot be used.
 */
export function openSqlite(options: SqliteOptions): Sqlite {
  const { lockPatienceMs = 5_000 } = options;
  const db = openDatabase(options);
  const states = createStates(db);
  const groups = createWriteGroups(db, {
    lockPatienceMs,
    blockingWaitMs: READING_WAIT_MS,
    onCommit: states.countCommit,
  });
  return {
    prepare: (sql) => db.prepare(sql),
    read: createSnapshotReader(db),
    readOne: createReader(db),
    state: states.read,
    write: groups.write,
    async close() {
      await groups.close();
      if (db.isOpen) db.close();
    },
  };
}

function openDatabase(options: SqliteOptions): DatabaseSync {
  try {
    return openFile(options, 'NORMAL');
  } catch (err) {
    if (!lacksSharedMemory(err)) throw toOpeningError(options, err);
  }
  try {
    const db = openFile(options, 'EXCLUSIVE');
    process.emitWarning(`The disk is full. No other process can use ${options.path} until this one ends.`);
    return db;
  } catch (err) {
    throw toOpeningError(options, err);
  }
}

/**
 * Opens the file for several processes (`NORMAL`), which share an index of the log in a file of 32 KB, or for this one
 * alone (`EXCLUSIVE`), which needs no room on the disk to read.
 */
function openFile(options: SqliteOptions, lockingMode: 'NORMAL' | 'EXCLUSIVE'): DatabaseSync {
  const { path, cacheMiB = 64 } = options;
  let db: DatabaseSync | undefined;
  try {
    ensureFolder(dirname(path));
    ensureOwnFile(path);
    db = new DatabaseSync(path, { timeout: OPENING_WAIT_MS, enableForeignKeyConstraints: true });
    db.exec(`PRAGMA locking_mode = ${lockingMode}`);
    switchToWal(db);
    db.exec(`${SETTINGS}; PRAGMA cache_size = ${-1024 * cacheMiB}`);
    if (options.isBulk) db.exec(BULK_SETTINGS);
    migrate(db, options);
    db.exec(`PRAGMA busy_timeout = ${READING_WAIT_MS}`);
    return db;
  } catch (err) {
    db?.close();
    throw err;
  }
}

function toOpeningError({ path }: SqliteOptions, err: unknown): Error {
  return new Error(`The database ${path} cannot be used: ${reasonOf(err)}`, { cause: err });
}

function reasonOf(err: unknown): string {
  const seconds = OPENING_WAIT_MS / 1_000;
  if (isBusy(err))
    return `another process has been writing for ${seconds} seconds; try again once it has ended`;
  return err instanceof Error ? err.message : String(err);
}

/** SQLite lets everybody read what it makes; its log and its index get the mode that the file has. */
function ensureOwnFile(path: string): void {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
}

/** Of two processes that switch a new file to WAL at once one is refused without waiting, so that no deadlock comes up. */
function switchToWal(db: DatabaseSync): void {
  const giveUpAt = performance.now() + OPENING_WAIT_MS;
  for (;;) {
    try {
      const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
      if (mode === 'wal') return;
      throw new Error('its file system does not support write-ahead logging');
    } catch (err) {
      if (!isBusy(err) || performance.now() > giveUpAt) throw err;
    }
    sleepSync(1 + Math.random() * 10);
  }
}

function sleepSync(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Runs the missing steps in one transaction; a second process that starts at the same time waits and finds them done.
 * A database that is up to date is only read, so that a full disk keeps no process from starting.
 */
function migrate(db: DatabaseSync, options: SqliteOptions): void {
  const { migrations, applicationId = 0 } = options;
  const isUpToDate = () =>
    checkVersion(db, options) === migrations.length && readNumber(db, 'application_id') === applicationId;
  if (isUpToDate()) return;
  db.exec('BEGIN IMMEDIATE');
  for (const step of migrations.slice(checkVersion(db, options))) db.exec(step);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
}

/** @throws {Error} when the file is another program's, or a newer version's */
function checkVersion(
  db: DatabaseSync,
  { migrations, applicationId = 0, unmarkedUntil = 0 }: SqliteOptions,
): number {
  const version = readNumber(db, 'user_version');
  const mark = readNumber(db, 'application_id');
  const mayBeUnmarked = version <= unmarkedUntil && mark === 0;
  if (version > 0 && mark !== applicationId && !mayBeUnmarked) {
    throw new Error('it belongs to another program');
  }
  if (version > migrations.length) {
    throw new Error(
      `it was written by a newer Keydesk (schema ${version}; this one knows up to ${migrations.length})`,
    );
  }
  return version;
}

function readNumber(db: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function createReader(db: DatabaseSync): Sqlite['readOne'] {
  return (statement) => {
    if (!db.isOpen) throw new AppError('unavailable', 'The database is closed.');
    try {
      return statement();
    } catch (err) {
      throw toStorageError(err);
    }
  };
}

/** Rolled back at its end: a reader has nothing to keep, and rolling back works on a damaged file too. */
function createSnapshotReader(db: DatabaseSync): Sqlite['read'] {
  const begin = db.prepare('BEGIN');
  const rollback = db.prepare('ROLLBACK');
  const readOne = createReader(db);

  function readSnapshot<T>(query: () => T): T {
    try {
      begin.run();
      return query();
    } finally {
      if (db.isTransaction) rollback.run();
    }
  }
  return (query) => (db.isOpen && db.isTransaction ? query() : readOne(() => readSnapshot(query)));
}

/** Own commits are counted; those of other connections change SQLite's `data_version`. */
function createStates(db: DatabaseSync) {
  const dataVersion = db.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const readOne = createReader(db);
  let state = 0;
  let seen: unknown;
  return {
    countCommit(): void {
      state += 1;
    },
    read(): number {
      const [current] = readOne(() => dataVersion.get()) as unknown as [number];
      if (current !== seen) state += 1;
      seen = current;
      return state;
    },
  };
}
