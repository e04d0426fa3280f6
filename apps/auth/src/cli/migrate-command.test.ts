import { join } from 'node:path';
import { describeWith, findFreePort, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDevelopmentSecret } from '../keys/master-secret.ts';
import { createMongoDatabase } from '../storage/test-database.fixture.ts';
import { newFolder, runCli, startServer } from '../tests/processes.fixture.ts';

/** Migrates a new database while the start of a server may not. */
async function migrateFirst(toStorageUrl: (folder: string) => string): Promise<void> {
  const folder = newFolder();
  const MASTER_SECRET_FILE = join(folder, 'master-secret');
  createDevelopmentSecret(MASTER_SECRET_FILE);
  const port = await findFreePort();
  const env = { MIGRATE_AT_START: 'false', STORAGE_URL: toStorageUrl(folder), MASTER_SECRET_FILE };
  const start = () => startServer({ ...env, AUTH_PORT: String(port) });
  const migrate = (...args: string[]) => runCli(['migrate', ...args], env);

  expect(await migrate('--check')).toMatchObject({ code: 3, stderr: '' });
  const refused = await start().ended;
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The authorization server cannot start: .* MIGRATE_AT_START is false; run the command migrate first\n$/,
    ),
  ]);
  const created = await migrate();
  expect([created.code, created.stderr, created.stdout]).toEqual([
    0,
    '',
    expect.stringMatching(/^The database was created with schema \d+\.\n$/),
  ]);
  expect(await migrate('--check')).toMatchObject({ code: 0 });
  expect((await migrate()).stdout).toMatch(/^The database is up to date \(schema \d+\)\.\n$/);
  await untilReady(`http://127.0.0.1:${port}`, start());
}

describe('the migrate command', () => {
  it('creates the SQLite file that a server with MIGRATE_AT_START=false refuses to create', () =>
    migrateFirst((folder) => `sqlite:${join(folder, 'auth.db')}`));

  describeWith('mongodb', 'on MongoDB', (url) => {
    it('creates the collections and indexes that a server with MIGRATE_AT_START=false refuses to create', async () => {
      const database = await createMongoDatabase(url);
      onTestFinished(database.drop);
      const storageUrl = new URL(url);
      storageUrl.pathname = `/${database.location.database}`;
      await migrateFirst(() => storageUrl.href);
    });
  });
});
