import { mongoDatabaseOf, sqlitePathOf } from '@keydesk/storage/url';
import type { Storage } from '../helpdesk/storage.ts';

export interface StorageOptions {
  /** The MongoDB database to use when the URL names none. */
  database?: string;
  /** Whether very much is written that can be made again: see `SqliteOptions`. */
  isBulk?: boolean;
}

/**
 * Opens the database that `storageUrl` names: `sqlite:PATH`, or `mongodb://…` or `mongodb+srv://…`. Only the chosen
 * engine is loaded.
 *
 * @throws {Error} with one readable message when the URL is of no known kind or the database cannot be used.
 */
export async function openStorage(
  storageUrl: string,
  { database = 'keydesk_tickets', isBulk = false }: StorageOptions = {},
): Promise<Storage> {
  const path = sqlitePathOf(storageUrl);
  if (path) {
    const { openSqliteStorage } = await import('./sqlite/open-sqlite-storage.ts');
    return openSqliteStorage({ path, isBulk });
  }
  if (/^mongodb(\+srv)?:\/\//.test(storageUrl)) {
    const { openMongoStorage } = await import('./mongo/open-mongo-storage.ts');
    return openMongoStorage({ url: storageUrl, database: mongoDatabaseOf(storageUrl) ?? database });
  }
  throw new Error('The storage URL must be sqlite:PATH, mongodb://… or mongodb+srv://….');
}
