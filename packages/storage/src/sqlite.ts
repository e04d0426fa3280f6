import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createWriteGroups, type WriteGroups } from './write-groups.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is made when missing. */
  path: string;
  /** Step i brings a database of `user_version` i to i + 1. Published steps never change. */
  migrations: readonly string[];
}

/** An open SQLite database that several processes may share. */
export interface Sqlite {
  /** Prepares a statement for reading, or for use inside `write`. */
  prepare(sql: string): StatementSync;
  /**
   * Runs `change` in a transaction and resolves with its result once that is durable. Changes that arrive in one
   * turn of the event loop share one commit; one that throws is rolled back alone and rejects alone.
   *
   * @throws {AppError} `unavailable` when the database stays locked by another process.
   */
  write: WriteGroups['write'];
  /** Waits for the writes in flight, then closes the file. */
  close(): Promise<void>;
}

/** How long one attempt for the write lock may block the event loop; longer waits happen asynchronously. */
const LOCK_ATTEMPT_MS = 20;

/**
 * Opens a SQLite file with the settings that Keydesk's promises rest on: WAL so that readers never wait,
 * `synchronous=FULL` so that what was acknowledged survives a power cut, enforced foreign keys.
 */
export function openSqlite({ path, migrations }: SqliteOptions): Sqlite {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true });
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY',
  );
  migrate(db, migrations);
  db.exec(`PRAGMA busy_timeout = ${LOCK_ATTEMPT_MS}`);
  const groups = createWriteGroups(db);
  return {
    prepare: (sql) => db.prepare(sql),
    write: groups.write,
    async close() {
      await groups.idle();
      db.close();
    },
  };
}

/** Runs the missing steps in one transaction; a second process that starts at the same time waits and finds them done. */
function migrate(db: DatabaseSync, migrations: readonly string[]): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const row = db.prepare('PRAGMA user_version').get();
    const version = Number(row?.user_version);
    if (version > migrations.length) {
      throw new Error(
        `The database was written by a newer Keydesk (schema ${version}, this one knows ${migrations.length}).`,
      );
    }
    for (const step of migrations.slice(version)) db.exec(step);
    db.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (err) {
    db.exec('ROLLBACK');
    db.close();
    throw err;
  }
}
