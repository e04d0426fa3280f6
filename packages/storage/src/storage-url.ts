import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@keydesk/config';

/** Returns the path of a URL such as `sqlite:./data/auth.db`; `undefined` for a MongoDB URL. */
export function toSqlitePath(url: string): string | undefined {
  return /^sqlite:(.*)/s.exec(url)?.[1];
}

/** Returns the database name in a MongoDB URL; `undefined` without one. */
export function toMongoDatabase(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** Returns the data folder of `npm start`. */
export function toDataDir(env: Environment): string {
  return env.DATA_DIR || './data';
}

/**
 * Adds `STORAGE_URL` as `npm start` sets it, unless `STORAGE_URL` or `STORAGE_URL_FILE` is set. Commands use it to open
 * a server's database.
 *
 * @param fileName SQLite file in the data folder, such as `auth.db`
 */
export function withStorageUrl(env: Environment, fileName: string): Environment {
  if (env.STORAGE_URL || env.STORAGE_URL_FILE) return env;
  return { ...env, STORAGE_URL: env.MONGODB_URL || `sqlite:${join(toDataDir(env), fileName)}` };
}

/**
 * Returns the path of an existing SQLite database.
 *
 * @throws {Error} with advice when the file does not exist or the database is not on SQLite
 */
export function requireDatabaseFile(url: string): string {
  const path = toSqlitePath(url);
  if (path === undefined) throw new Error('The database is on MongoDB; back it up with MongoDB tools.');
  if (existsSync(path)) return path;
  throw new Error(
    `No readable database at ${path}; start the server once (npm start), or set STORAGE_URL or DATA_DIR.`,
  );
}
