import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '@keydesk/errors';
import { ensureFolder } from '../ensure-folder.ts';
import { describeDue } from '../schema-state.ts';
import { hideBoundLimits } from './bound-limits.ts';
import { isBusy, isSharedMemoryUnavailable, toStorageError } from './errors.ts';
import { inspectSqlite, migrateSqlite, rejectForeignFile, type SqliteSchema } from './schema.ts';
import { createWriteGroups, type WriteGroups } from './write-groups.ts';

/** File, schema and tuning of a SQLite database. */
export interface SqliteOptions extends SqliteSchema {
  /** Path of the database file. Missing files and folders are created only for this user. */
  path: string;
  /** Whether missing migrations run; otherwise a file that needs any is refused. Default: true. */
  canMigrate?: boolean;
  /**
   * Page cache in MiB. Default: 64. SQLite scans the whole cache at the end of each transaction that splits a page, so
   * a small cache suits small transactions with few cache hits.
   */
  cacheMiB?: number;
  /** Time limit for the write lock when another process holds it. Default: 5,000. */
  lockTimeoutMs?: number;
  /**
   * Tunes for repeatable bulk writes: uses more memory and syncs only at checkpoints. A power failure may lose the
   * latest commits, but does not damage the file.
   */
  isBulk?: boolean;
}

/** SQL with its parameter values in order. */
export interface Statement {
  sql: string;
  values: readonly (string | number)[];
}

/** An open SQLite database that several processes may share. */
export interface Sqlite {
  /** Prepares a statement for use inside `read` or `write`. */
  prepare(sql: string): StatementSync;
  /**
   * Runs `query` on one committed state; inside `write`, it also sees uncommitted changes.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  read<T>(query: () => T): T;
  /**
   * Runs one statement at half the cost of `read`.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  readOne<T>(statement: () => T): T;
  /**
   * Returns the database version counter, which changes with every commit of any process. Data read at the same count
   * is current. Costs less than any query.
   *
   * @throws {AppError} `unavailable` when the engine fails.
   */
  commitVersion(): number;
  /**
   * Runs the synchronous `change` in a transaction and resolves with its result when it is durable. Changes that arrive
   * within a few turns of the event loop share one commit. A change that throws is rolled back and rejects alone; the
   * others are rolled back and run again, so a change must have no effect outside the database.
   *
   * @throws {AppError} `unavailable` when the engine fails, or another process holds the write lock too long.
   */
  write: WriteGroups['write'];
  /** Refuses further writes, waits for those in flight, then closes the file. */
  close(): Promise<void>;
}

/** Time limit for opening while other processes open, migrate or recover the file. */
const OPENING_WAIT_MS = 10_000;
/**
 * Checkpoints at 16 MB of log instead of SQLite's 4 MB. A checkpoint waits for the disk twice; frequently changed
 * pages, such as those of indexes, are written a quarter as often.
 */
const SETTINGS = 'PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000';
/** Allows a gigabyte of cache and of log, because bulk writes are not in index order. */
const BULK_SETTINGS =
  'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1048576; PRAGMA wal_autocheckpoint = 262144';
/** Time limit of a reader, which waits only while another process recovers the log of a crashed one. */
const READING_WAIT_MS = 1_000;

/**
 * Opens a SQLite file with WAL, `synchronous=FULL` and enforced foreign keys. Readers never wait for writers, and
 * acknowledged writes survive a power failure.
 *
 * @throws {Error} with a one-line message when the file cannot be used
 */
export function openSqlite(options: SqliteOptions): Sqlite {
  const { lockTimeoutMs = 5_000 } = options;
  const db = openDatabase(options);
  const states = createCommitVersion(db);
  const groups = createWriteGroups(db, {
    lockTimeoutMs,
    statementLockTimeoutMs: READING_WAIT_MS,
    onCommit: states.countCommit,
  });
  return {
    prepare: (sql) => db.prepare(hideBoundLimits(sql)),
    read: createSnapshotReader(db),
    readOne: createReader(db),
    commitVersion: states.read,
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
    if (!isSharedMemoryUnavailable(err)) throw toOpeningError(options, err);
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
 * Opens the file for several processes (`NORMAL`) or for this process only (`EXCLUSIVE`). Several processes share an
 * index of the log in a file of 32 KB; a single one needs no disk space to read.
 */
function openFile(options: SqliteOptions, lockingMode: 'NORMAL' | 'EXCLUSIVE'): DatabaseSync {
  const { path, cacheMiB = 64, canMigrate = true } = options;
  let db: DatabaseSync | undefined;
  try {
    if (!canMigrate && !existsSync(path)) throw new Error(describeDue(inspectSqlite(path, options)));
    ensureFolder(dirname(path));
    ensurePrivateFile(path);
    db = new DatabaseSync(path, { timeout: OPENING_WAIT_MS, enableForeignKeyConstraints: true });
    db.exec(`PRAGMA locking_mode = ${lockingMode}`);
    rejectForeignFile(db, options);
    switchToWal(db);
    db.exec(`${SETTINGS}; PRAGMA cache_size = ${-1024 * cacheMiB}`);
    if (options.isBulk) db.exec(BULK_SETTINGS);
    migrateSqlite(db, options, canMigrate);
    db.exec(`PRAGMA busy_timeout = ${READING_WAIT_MS}`);
    return db;
  } catch (err) {
    db?.close();
    throw err;
  }
}

function toOpeningError({ path }: SqliteOptions, err: unknown): Error {
  return new Error(`The database ${path} cannot be used: ${describeFailure(err)}`, { cause: err });
}

function describeFailure(err: unknown): string {
  const seconds = OPENING_WAIT_MS / 1_000;
  if (isBusy(err)) return `another process has been writing for ${seconds} seconds; retry when it has ended`;
  return err instanceof Error ? err.message : String(err);
}

/**
 * Creates the file, accessible only to this user. SQLite would make it world-readable; log and index inherit its mode.
 */
function ensurePrivateFile(path: string): void {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
}

/** Switches to WAL with retries: SQLite rejects one of two concurrent switches at once to avoid a deadlock. */
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

/** Creates a snapshot reader. It ends with a rollback, which works on a damaged file, too. */
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

/** Counts commits of this connection; SQLite's `data_version` reports those of other connections. */
function createCommitVersion(db: DatabaseSync) {
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
