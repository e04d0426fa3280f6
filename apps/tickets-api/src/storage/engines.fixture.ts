import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Storage } from '../helpdesk/storage.ts';
import { createMongoDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.ts';

/** Amount of work of long tests, per engine; the MongoDB stand-in is slow. */
export interface SuiteLoad {
  kills: number;
  /** Runs of a property with random data. */
  runs: number;
  /** Writes of each of several processes. */
  writes: number;
}

/** Runs suites on each engine; on MongoDB if a server is available. */
export function onEveryEngine(
  suites: (createDatabase: () => Promise<TestDatabase>, load: SuiteLoad) => void,
): void {
  describe('on SQLite', () => suites(createSqliteDatabase, { kills: 10, runs: 300, writes: 40 }));
  describeWith('mongodb', 'on MongoDB', (url) =>
    suites(() => createMongoDatabase(url), { kills: 3, runs: 40, writes: 10 }),
  );
}

/** Database opened twice, as by two processes; its members are set when the suite runs. */
export interface OpenedTwice {
  database: TestDatabase;
  storage: Storage;
  other: Storage;
}

/** Opens a database twice before the tests of a suite, and drops it afterwards. */
export function openTwice(createDatabase: () => Promise<TestDatabase>): OpenedTwice {
  const opened: Partial<OpenedTwice> = {};
  beforeAll(async () => {
    const database = await createDatabase();
    const [storage, other] = [await database.open(), await database.open()];
    Object.assign(opened, { database, storage, other });
  });
  afterAll(async () => {
    await Promise.all([opened.storage?.close(), opened.other?.close()]);
    await opened.database?.drop();
  });
  return opened as OpenedTwice;
}
