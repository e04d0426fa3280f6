import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@keydesk/config';

/** The file that a URL such as `sqlite:./data/auth.db` names, `undefined` for one of MongoDB. */
export function sqlitePathOf(url: string): string | undefined {
  return /^sqlite:(.*)/s.exec(url)?.[1];
}

/** The database that a MongoDB URL names, `undefined` when it names none. */
export function databaseOf(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** The data folder of `npm start`. */
export function dataDirOf(env: Environment): string {
  return env.DATA_DIR || './data';
}

/**
 * The environment of a command on a server's database: `STORAGE_URL` or `STORAGE_URL_FILE` as it is set, or else the
 * `STORAGE_URL` that `npm start` gives to that server.
 *
 * @param fileName of the server's SQLite database in the data folder, such as `auth.db`
 */
export function withStorageUrl(env: Environment, fileName: string): Environment {
  if (env.STORAGE_URL || env.STORAGE_URL_FILE) return env;
  return { ...env, STORAGE_URL: env.MONGODB_URL || `sqlite:${join(dataDirOf(env), fileName)}` };
}

/**
 * The file of a SQLite database.
 *
 * @throws {Error} with one sentence that says what to do, when there is none, or the database is none of SQLite
 */
export function requireDatabaseFile(url: string): string {
  const path = sqlitePathOf(url);
  if (path === undefined) throw new Error('The database is on MongoDB, which is copied by its own tools.');
  if (existsSync(path)) return path;
  throw new Error(
    `There is no database at ${path} that you may read: start the server once (npm start), or set STORAGE_URL or DATA_DIR.`,
  );
}
