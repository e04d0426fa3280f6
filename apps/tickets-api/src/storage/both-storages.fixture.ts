import { describeWith } from '@keydesk/testing';
import { describe } from 'vitest';
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
export function describeOnBothStorages(
  suites: (createDatabase: () => Promise<TestDatabase>, load: SuiteLoad) => void,
): void {
  describe('on SQLite', () => suites(createSqliteDatabase, { kills: 10, runs: 300, writes: 40 }));
  describeWith('mongodb', 'on MongoDB', (url) =>
    suites(() => createMongoDatabase(url), { kills: 3, runs: 40, writes: 10 }),
  );
}
