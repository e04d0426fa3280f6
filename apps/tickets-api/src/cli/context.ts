import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, loadConfig } from '@keydesk/config';
import { sqlitePathOf } from '@keydesk/storage/url';
import { InvalidArgumentError } from 'commander';
import { settings } from '../config.ts';
import { openStorage, type StorageOptions } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';

/** What the commands work with. */
export interface CliContext {
  env: Environment;
  /** Writes to the standard output. */
  print: (text: string) => void;
  /** Writes to the standard error. */
  printError: (text: string) => void;
  /** Whether the standard error is a terminal, where a line can be written over. */
  isTerminal: boolean;
}

/** A command cannot do its work; the message is one sentence that says what to do about it. */
export class CliError extends Error {
  override name = 'CliError';
}

/** Runs work on the database of the API, which is made when it is missing. */
export async function withStorage<T>(
  { env }: CliContext,
  work: (storage: Storage) => Promise<T>,
  options?: Pick<StorageOptions, 'isBulk'>,
): Promise<T> {
  const storage = await openStorage(storageUrlOf(env), options);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Runs work on the database of the API, which must be there. */
export async function withExistingStorage<T>(
  context: CliContext,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  if (sqlitePathOf(storageUrlOf(context.env)) !== undefined) databaseFileOf(context.env);
  return withStorage(context, work);
}

/**
 * The file of the SQLite database.
 *
 * @throws {CliError} when there is none, or the database is none of SQLite
 */
export function databaseFileOf(env: Environment): string {
  const path = sqlitePathOf(storageUrlOf(env));
  if (path === undefined) throw new CliError('The database is on MongoDB, which is copied by its own tools.');
  if (existsSync(path)) return path;
  throw new CliError(
    `There is no database at ${path} that you may read: start the server once (npm start), or set STORAGE_URL or DATA_DIR.`,
  );
}

/** The one that is set, or else that of `npm start`. */
export function storageUrlOf(env: Environment): string {
  const started = {
    STORAGE_URL: env.MONGODB_URL || `sqlite:${join(env.DATA_DIR || './data', 'tickets.db')}`,
  };
  const isSet = env.STORAGE_URL || env.STORAGE_URL_FILE;
  return loadConfig({ storageUrl: settings.storageUrl }, isSet ? env : started).storageUrl;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
