import type { SchemaMigration } from '@keydesk/storage/schema-state';
import { toMongoDatabase, toSqlitePath } from '@keydesk/storage/url';
import type { Storage } from './storage.ts';

/** Database of the server. */
export interface StorageLocation {
  /** `sqlite:./path/of/file.db`, or `mongodb://…` or `mongodb+srv://…` of a replica set. */
  url: string;
  /** Database name on MongoDB; defaults to the one in the URL, then to `keydesk_auth`. */
  database?: string;
}

export interface StorageOptions {
  /** Whether a missing database, and missing steps and indexes are created. Default: true. */
  canMigrate?: boolean;
}

/**
 * Opens the storage with the engine of the URL's scheme; only that engine is loaded.
 *
 * @throws {Error} with one readable message when the URL is invalid or the database cannot be used
 */
export async function openStorage(location: StorageLocation, options: StorageOptions = {}): Promise<Storage> {
  const engine = findEngine(location);
  if ('path' in engine) {
    const { openSqliteStorage } = await import('./sqlite/storage.ts');
    return openSqliteStorage({ ...engine, ...options });
  }
  const { openMongoStorage } = await import('./mongo/storage.ts');
  return openMongoStorage({ ...engine, ...options });
}

/** Creates the migration of the database of a URL. @throws {Error} as `openStorage` */
export async function openMigration(location: StorageLocation): Promise<SchemaMigration> {
  const engine = findEngine(location);
  if ('path' in engine) {
    const { createMigration } = await import('./sqlite/migration.ts');
    return createMigration(engine);
  }
  const { createMigration } = await import('./mongo/migration.ts');
  return createMigration(engine);
}

function findEngine({
  url,
  database,
}: StorageLocation): { path: string } | { url: string; database: string } {
  const path = toSqlitePath(url);
  if (path) return { path };
  if (/^mongodb(\+srv)?:/.test(url))
    return { url, database: database ?? toMongoDatabase(url) ?? 'keydesk_auth' };
  // The URL is not repeated, because it may contain a password.
  throw new Error('The storage URL must be sqlite:<path of a file> or mongodb://<host>.');
}
