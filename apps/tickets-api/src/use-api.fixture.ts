import { afterAll, beforeAll } from 'vitest';
import { startApi, type TestApi } from './api.fixture.ts';
import type { TestDatabase } from './storage/test-database.fixture.ts';

/**
 * Starts the API on a database of its own before the tests of the suite that calls this, and stops it after them.
 *
 * @param prepare is given it and the URL of its database before the first test
 */
export function useApi(
  createDatabase: () => Promise<TestDatabase>,
  prepare: (api: TestApi, storageUrl: string) => void | Promise<void>,
  options: Parameters<typeof startApi>[0] = {},
): void {
  let database: TestDatabase;
  let api: TestApi;
  beforeAll(async () => {
    database = await createDatabase();
    api = await startApi({ ...options, storageUrl: database.storageUrl });
    await prepare(api, database.storageUrl);
  });
  afterAll(async () => {
    await api.stop();
    await database.drop();
  });
}
