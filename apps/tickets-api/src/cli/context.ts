import type { CliOutput } from '@keydesk/cli';
import { type Environment, loadConfig } from '@keydesk/config';
import { requireDatabaseFile, toSqlitePath, withStorageUrl } from '@keydesk/storage/url';
import { InvalidArgumentError } from 'commander';
import { settings } from '../config.ts';
import type { Storage } from '../helpdesk/storage.ts';
import { openStorage, type StorageOptions } from '../storage/open-storage.ts';

/** Environment and output of the commands. */
export interface CliContext extends CliOutput {
  env: Environment;
  /** Whether standard error is a terminal, on which a line can be overwritten. */
  isTerminal: boolean;
}

/** Runs work on the database of the API, which is created if it does not exist. */
export async function withStorage<T>(
  { env }: CliContext,
  work: (storage: Storage) => Promise<T>,
  options?: Pick<StorageOptions, 'isBulk'>,
): Promise<T> {
  const { canMigrate } = loadConfig({ canMigrate: settings.canMigrate }, env);
  const storage = await openStorage(loadStorageUrl(env), { ...options, canMigrate });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Runs work on the existing database of the API. */
export async function withExistingStorage<T>(
  context: CliContext,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const url = loadStorageUrl(context.env);
  if (toSqlitePath(url) !== undefined) requireDatabaseFile(url);
  return withStorage(context, work);
}

/** Returns the configured URL of the database, or else the default of `npm start`. */
export function loadStorageUrl(env: Environment): string {
  return loadConfig({ storageUrl: settings.storageUrl }, withStorageUrl(env, 'tickets.db')).storageUrl;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
}
