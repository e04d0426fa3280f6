import type { SchemaMigration } from '../schema-state.ts';
import { inspectSqlite } from './schema.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

/** Creates the migration of a SQLite file. It inspects a missing file without creating it. */
export function createSqliteMigration(
  options: Omit<SqliteOptions, 'canMigrate' | 'isBulk'>,
): SchemaMigration {
  const inspect = async () => {
    try {
      return inspectSqlite(options.path, options);
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err);
      throw new Error(`The database ${options.path} cannot be used: ${reason}`, { cause: err });
    }
  };
  return {
    inspect,
    async run() {
      const before = await inspect();
      if (before.due.length > 0) await openSqlite(options).close();
      return before;
    },
  };
}
