import { databaseOf, sqlitePathOf } from '@keydesk/storage/url';
import type { Storage } from './storage.ts';

export interface StorageLocation {
  /** `sqlite:./path/of/file.db`, or `mongodb://…` or `mongodb+srv://…` of a replica set. */
  url: string;
  /** The database on MongoDB; by default the one that the URL names, else `keydesk_auth`. */
  database?: string;
}

/**
 * Opens the storage on the engine that the URL's scheme names. Only that engine is loaded.
 *
 * @throws {Error} with one readable message when the URL names no engine or the database cannot be used.
 */
export async function openStorage({ url, database }: StorageLocation): Promise<Storage> {
  const path = sqlitePathOf(url);
  if (path) {
    const { openSqliteStorage } = await import('./sqlite/storage.ts');
    return openSqliteStorage({ path });
  }
  if (/^mongodb(\+srv)?:/.test(url)) {
    const { openMongoStorage } = await import('./mongo/storage.ts');
    return openMongoStorage({ url, database: database ?? databaseOf(url) ?? 'keydesk_auth' });
  }
  // The URL itself is not repeated: it may hold a password.
  throw new Error('The storage URL must be sqlite:<path of a file> or mongodb://<host>.');
}
