import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describeDue, describeNewer, type SchemaState } from '../schema-state.ts';

/** Schema of a SQLite file, and the steps that lead to it. */
export interface SqliteSchema {
  /**
   * Migrations; step i migrates a database from `user_version` `firstVersion` + i to the next one. Published steps
   * never change.
   */
  migrations: readonly string[];
  /**
   * `user_version` that the first step starts from. Default: 0. Files of this and lower versions, which predate Keydesk
   * 0.9, are refused; an empty file is a new database.
   */
  firstVersion?: number;
  /**
   * Lowest `user_version` whose programs can use a database with all steps. Default: the latest, so that every older
   * program refuses it.
   */
  oldestReader?: number;
  /** `PRAGMA application_id` of the file; files of other programs are refused. */
  applicationId?: number;
}

/** Time limit for an inspection while another process recovers the log of a crashed one. */
const INSPECTION_WAIT_MS = 10_000;
const RECORD_OLDEST_READER = `
  CREATE TABLE IF NOT EXISTS schema_compatibility (oldest_reader INTEGER NOT NULL) STRICT;
  DELETE FROM schema_compatibility;`;

/**
 * Runs the missing migrations in one transaction; a concurrent process waits and finds them done. It does not write to
 * an up-to-date database, so that processes can start on a full disk.
 *
 * @throws {Error} when steps are missing and `canMigrate` is false
 */
export function migrateSqlite(db: DatabaseSync, schema: SqliteSchema, canMigrate: boolean): void {
  const state = inSnapshot(db, () => readState(db, schema));
  if (state.due.length === 0) return;
  if (!canMigrate) throw new Error(describeDue(state));
  const { migrations, applicationId = 0 } = schema;
  const latest = toLatestVersion(schema);
  db.exec('BEGIN IMMEDIATE');
  const steps = migrations.slice(countAppliedSteps(db, schema));
  for (const step of steps) db.exec(step);
  // Another process may have migrated in between, even to a later version.
  if (steps.length > 0)
    db.exec(`${RECORD_OLDEST_READER} INSERT INTO schema_compatibility (oldest_reader) VALUES (${schema.oldestReader ?? latest});
      PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${latest}`);
  db.exec('COMMIT');
}

/**
 * Rejects a file that cannot be migrated before anything in it changes. One transaction, because other processes may
 * migrate.
 *
 * @throws {Error} when the file belongs to another program, is too old, or is newer than this program can use
 */
export function rejectForeignFile(db: DatabaseSync, schema: SqliteSchema): void {
  inSnapshot(db, () => countAppliedSteps(db, schema));
}

/**
 * Returns the state of a file without creating or changing it.
 *
 * @throws {Error} as `rejectForeignFile`
 */
export function inspectSqlite(path: string, schema: SqliteSchema): SchemaState {
  if (!existsSync(path)) return toState(undefined, schema);
  const db = new DatabaseSync(path, { readOnly: true, timeout: INSPECTION_WAIT_MS });
  try {
    return inSnapshot(db, () => readState(db, schema));
  } finally {
    db.close();
  }
}

function inSnapshot<T>(db: DatabaseSync, query: () => T): T {
  db.exec('BEGIN');
  try {
    return query();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function toLatestVersion({ migrations, firstVersion = 0 }: SqliteSchema): number {
  return firstVersion + migrations.length;
}

function readState(db: DatabaseSync, schema: SqliteSchema): SchemaState {
  const applied = countAppliedSteps(db, schema);
  const isNew = applied === 0 && isEmpty(db);
  return toState(isNew ? undefined : readNumber(db, 'user_version'), schema);
}

function toState(found: number | undefined, schema: SqliteSchema): SchemaState {
  const { migrations, firstVersion = 0, oldestReader } = schema;
  const supported = toLatestVersion(schema);
  const first = found === undefined ? firstVersion : found;
  const due = migrations.slice(first - firstVersion).map((_, i) => `schema step ${first + i + 1}`);
  return { found, supported, due, isExpansion: (oldestReader ?? supported) <= (found ?? supported) };
}

/** @throws {Error} when the file belongs to another program, is too old, or is newer than this program can use */
function countAppliedSteps(db: DatabaseSync, schema: SqliteSchema): number {
  const { migrations, firstVersion = 0, applicationId = 0 } = schema;
  const version = readNumber(db, 'user_version');
  const mark = readNumber(db, 'application_id');
  if (version === 0 && isEmpty(db)) return 0;
  if (version > 0 && version <= firstVersion && (mark === applicationId || mark === 0)) {
    throw new Error(
      `it was written by a Keydesk before 0.9 (schema ${version}); move the file away or set another STORAGE_URL, and a new database is created`,
    );
  }
  if (version === 0 || mark !== applicationId) throw new Error('it belongs to another program');
  const latest = toLatestVersion(schema);
  const oldestReader = readOldestReader(db) ?? version;
  if (version > latest && oldestReader > latest)
    throw new Error(`it ${describeNewer({ version, oldestReader }, latest)}`);
  return Math.min(version - firstVersion, migrations.length);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
}

function readNumber(db: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function readOldestReader(db: DatabaseSync): number | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_compatibility'").get();
  const row = table && db.prepare('SELECT oldest_reader FROM schema_compatibility').get();
  return row && Number(row.oldest_reader);
}
