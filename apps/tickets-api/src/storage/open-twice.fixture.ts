import { afterAll, beforeAll } from 'vitest';
import type { Storage } from '../helpdesk/storage.ts';
import type { TestDatabase } from './test-database.fixture.ts';

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
