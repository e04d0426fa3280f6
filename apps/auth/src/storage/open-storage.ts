import { openMongoStorage } from './mongo/storage.ts';
import { openSqliteStorage } from './sqlite/storage.ts';
import type { Storage } from './storage.ts';

export interface StorageLocation {
  /** `sqlite:./path/of/file.db`, or `mongodb://…` or `mongodb+srv://…` of a replica set. */
  url: string;
  /** The database on MongoDB, where several programs may share one server. */
  database?: string;
}

/**
 * Opens the storage on the engine that the URL's scheme names.
 *
 * @throws {Error} with one readable message when the URL names no engine or the database cannot be used.
 */
export async function openStorage({ url, database = 'keydesk_auth' }: StorageLocation): Promise<Storage> {
  const [scheme = '', ...rest] = url.split(':');
  const path = rest.join(':');
  if (scheme === 'sqlite' && path !== '') return openSqliteStorage({ path });
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') return openMongoStorage({ url, database });
  // The URL itself is not repeated: it may hold a password.
  throw new Error('The storage URL must be sqlite:<path of a file> or mongodb://<host>.');
}
