import type { SchemaMigration } from '@keydesk/storage/schema-state';
import { createSqliteMigration } from '@keydesk/storage/sqlite-migration';
import { schema } from './schema.ts';

/** Creates the migration of a SQLite file. */
export function createMigration({ path }: { path: string }): SchemaMigration {
  return createSqliteMigration({ path, ...schema });
}
