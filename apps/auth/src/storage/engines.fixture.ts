import { describeWith, withPatience } from '@keydesk/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStorage } from './open-storage.ts';
import { type OtherProcess, type StorageCall, startOtherProcess } from './other-process.fixture.ts';
import type { Storage } from './storage.ts';
import { createMongoDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.ts';

/** An engine as the suites use it. */
export interface Engine {
  createDatabase(): Promise<TestDatabase>;
  /** Returns two other processes that can open any database of the engine; starts them at the first call. */
  otherProcesses(): Promise<readonly OtherProcess[]>;
}

/** Runs the suites on SQLite and, if available, on MongoDB. */
export function onEveryEngine(suites: (engine: Engine) => void): void {
  onSqlite(suites);
  describeWith('mongodb', 'on MongoDB', (url) => suites(useEngine(() => createMongoDatabase(url))));
}

/** Runs suites with more records than the stand-in of MongoDB sorts within its time limit. */
export function onSqlite(suites: (engine: Engine) => void): void {
  describe('on SQLite', () => suites(useEngine(createSqliteDatabase)));
}

function useEngine(createDatabase: Engine['createDatabase']): Engine {
  let started: Promise<readonly OtherProcess[]> | undefined;
  afterAll(async () => {
    await Promise.all(((await started) ?? []).map((each) => each.stop()));
  });
  return {
    createDatabase,
    otherProcesses() {
      started ??= Promise.all([startOtherProcess(), startOtherProcess()]);
      return started;
    },
  };
}

export interface UsedStorage {
  /** Returns the storage of the suite. */
  get(): Storage;
  /** Opens the same database again, as another process would; closed after the suite. */
  openAnother(): Promise<Storage>;
  database(): TestDatabase;
  /** Makes the same calls in two other processes at the same instant and returns their results. */
  raceInTwoProcesses(calls: readonly StorageCall[]): Promise<unknown[][]>;
}

const RACE_STARTS_IN_MS = 50;

/** Opens a storage before the tests of a suite; closes it and drops its database afterwards. */
export function useStorage(engine: Engine): UsedStorage {
  const opened: Storage[] = [];
  let database: TestDatabase | undefined;

  async function openAnother(): Promise<Storage> {
    const storage = withPatience(await openStorage(requireOpen(database).location));
    opened.push(storage);
    return storage;
  }

  beforeAll(async () => {
    database = await engine.createDatabase();
    await openAnother();
  });
  afterAll(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
    await database?.drop();
  });

  return {
    get: () => requireOpen(opened[0]),
    openAnother,
    database: () => requireOpen(database),
    async raceInTwoProcesses(calls) {
      const { location } = requireOpen(database);
      const processes = await engine.otherProcesses();
      const all = (each: readonly StorageCall[], at: number) =>
        Promise.all(processes.map((process) => process.callAll({ location, calls: each, at })));
      await all([], 0); // Opens the database in both processes, so that neither starts late.
      return all(calls, Date.now() + RACE_STARTS_IN_MS);
    },
  };
}

function requireOpen<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The database exists only while the tests of its suite run.');
  return value;
}
