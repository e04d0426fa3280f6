import { afterAll, beforeAll } from 'vitest';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import { startApi, type TestApi } from './api.fixture.ts';

/**
 * Starts the API on its own database before the tests of the calling suite, and stops it after them.
 *
 * @param prepare runs before the first test, with the API and the URL of its database
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
