import { describeWith } from '@keydesk/testing';
import { describe } from 'vitest';
import { createMongoDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.ts';

/** How much of what takes long is done: the stand-in for MongoDB is slow. */
export interface Efforts {
  kills: number;
  /** Of a property with random data. */
  runs: number;
  /** Of each of several processes. */
  writes: number;
}

/** Runs suites on each engine; on MongoDB where there is one. */
export function describeOnBothStorages(
  suites: (createDatabase: () => Promise<TestDatabase>, efforts: Efforts) => void,
): void {
  describe('on SQLite', () => suites(createSqliteDatabase, { kills: 10, runs: 300, writes: 40 }));
  describeWith('mongodb', 'on MongoDB', (url) =>
    suites(() => createMongoDatabase(url), { kills: 3, runs: 40, writes: 10 }),
  );
}
