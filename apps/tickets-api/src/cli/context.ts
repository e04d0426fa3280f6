import { type Environment, loadConfig } from '@keydesk/config';
import { requireDatabaseFile, sqlitePathOf, withStorageUrl } from '@keydesk/storage/url';
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
  const url = storageUrlOf(context.env);
  if (sqlitePathOf(url) !== undefined) requireDatabaseFile(url);
  return withStorage(context, work);
}

/** The one that is set, or else that of `npm start`. */
export function storageUrlOf(env: Environment): string {
  return loadConfig({ storageUrl: settings.storageUrl }, withStorageUrl(env, 'tickets.db')).storageUrl;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
