import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { openSqlite, type Sqlite } from '@keydesk/storage/sqlite';
import { afterAll, beforeAll } from 'vitest';
import { schema } from './schema.ts';

/** A statement with the values of its parameters. */
interface Statement {
  sql: string;
  values: readonly SQLInputValue[];
}

/**
 * Opens an empty database before the tests of the calling suite, and removes it afterwards.
 *
 * @returns `explain` for that database
 */
export function useExplain(): (statement: Statement) => string[] {
  let folder: string;
  let sqlite: Sqlite;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-plans-'));
    sqlite = openSqlite({ path: join(folder, 'tickets.db'), ...schema });
  });
  afterAll(async () => {
    await sqlite.close();
    await rm(folder, { recursive: true });
  });
  return (statement) => explain(sqlite, statement);
}

/** Returns the steps of the query plan of a statement. */
export function explain({ prepare }: Sqlite, { sql, values }: Statement): string[] {
  return prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map(({ detail }) => String(detail));
}
