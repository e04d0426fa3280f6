import { mongoDatabaseOf, sqlitePathOf } from '@keydesk/storage/url';
import type { Storage } from '../helpdesk/storage.ts';

export interface StorageOptions {
  /** MongoDB database, if the URL has none. */
  database?: string;
  /** Whether large amounts of reproducible data are written: see `SqliteOptions`. */
  isBulk?: boolean;
}

/**
 * Opens the database of a storage URL: `sqlite:PATH`, `mongodb://…` or `mongodb+srv://…`. Loads only that engine.
 *
 * @throws {Error} with one readable message when the URL is not supported or the database cannot be used
 */
export async function openStorage(
  storageUrl: string,
  { database = 'keydesk_tickets', isBulk = false }: StorageOptions = {},
): Promise<Storage> {
  const path = sqlitePathOf(storageUrl);
  if (path) {
    const { openSqliteStorage } = await import('./sqlite/storage.ts');
    return openSqliteStorage({ path, isBulk });
  }
  if (/^mongodb(\+srv)?:\/\//.test(storageUrl)) {
    const { openMongoStorage } = await import('./mongo/storage.ts');
    return openMongoStorage({ url: storageUrl, database: mongoDatabaseOf(storageUrl) ?? database });
  }
  throw new Error('The storage URL must be sqlite:PATH, mongodb://… or mongodb+srv://….');
}
