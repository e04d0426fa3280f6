import type { SchemaMigration } from '@keydesk/storage/schema-state';
import { toMongoDatabase, toSqlitePath } from '@keydesk/storage/url';
import type { Storage } from '../helpdesk/storage.ts';

export interface StorageOptions {
  /** MongoDB database, if the URL has none. */
  database?: string;
  /** Whether large amounts of reproducible data are written: see `SqliteOptions`. */
  isBulk?: boolean;
  /** Whether a missing database, and missing steps and indexes are created. Default: true. */
  canMigrate?: boolean;
}

/**
 * Opens the database of a storage URL: `sqlite:PATH`, `mongodb://…` or `mongodb+srv://…`. Loads only that engine.
 *
 * @throws {Error} with one readable message when the URL is not supported or the database cannot be used
 */
export async function openStorage(storageUrl: string, options: StorageOptions = {}): Promise<Storage> {
  const { database, ...rest } = options;
  const engine = findEngine(storageUrl, database);
  if ('path' in engine) {
    const { openSqliteStorage } = await import('./sqlite/storage.ts');
    return openSqliteStorage({ ...engine, ...rest });
  }
  const { openMongoStorage } = await import('./mongo/storage.ts');
  return openMongoStorage({ ...engine, ...rest });
}

/** Creates the migration of the database of a storage URL. @throws {Error} as `openStorage` */
export async function openMigration(storageUrl: string): Promise<SchemaMigration> {
  const engine = findEngine(storageUrl);
  if ('path' in engine) {
    const { createMigration } = await import('./sqlite/migration.ts');
    return createMigration(engine);
  }
  const { createMigration } = await import('./mongo/migration.ts');
  return createMigration(engine);
}

function findEngine(
  url: string,
  database = 'keydesk_tickets',
): { path: string } | { url: string; database: string } {
  const path = toSqlitePath(url);
  if (path) return { path };
  if (/^mongodb(\+srv)?:\/\//.test(url)) return { url, database: toMongoDatabase(url) ?? database };
  throw new Error('The storage URL must be sqlite:PATH, mongodb://… or mongodb+srv://….');
}
