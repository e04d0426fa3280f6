import { mongoDatabaseOf, sqlitePathOf } from '@keydesk/storage/url';
import type { Storage } from './storage.ts';

export interface StorageLocation {
  /** `sqlite:./path/of/file.db`, or `mongodb://…` or `mongodb+srv://…` of a replica set. */
  url: string;
  /** Database name on MongoDB; defaults to the one in the URL, then to `keydesk_auth`. */
  database?: string;
}

/**
 * Opens the storage with the engine of the URL's scheme; only that engine is loaded.
 *
 * @throws {Error} with one readable message when the URL is invalid or the database cannot be used
 */
export async function openStorage({ url, database }: StorageLocation): Promise<Storage> {
  const path = sqlitePathOf(url);
  if (path) {
    const { openSqliteStorage } = await import('./sqlite/storage.ts');
    return openSqliteStorage({ path });
  }
  if (/^mongodb(\+srv)?:/.test(url)) {
    const { openMongoStorage } = await import('./mongo/storage.ts');
    return openMongoStorage({ url, database: database ?? mongoDatabaseOf(url) ?? 'keydesk_auth' });
  }
  // The URL is not repeated, because it may contain a password.
  throw new Error('The storage URL must be sqlite:<path of a file> or mongodb://<host>.');
}
