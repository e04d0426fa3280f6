import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, findFreePort, startProgram, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';
import { runCli } from './program.ts';

async function migrate(env: Record<string, string>, ...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await runCli(['migrate', ...args], {
    env,
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
    isTerminal: false,
  });
  return { code, stdout, stderr };
}

/** Migrates a new database while the start of a server may not. */
async function migrateFirst({ storageUrl, drop }: TestDatabase): Promise<void> {
  onTestFinished(drop);
  const port = await findFreePort();
  const env = { MIGRATE_AT_START: 'false', STORAGE_URL: storageUrl };
  const start = () => {
    const program = startProgram(join(import.meta.dirname, '../main.ts'), {
      env: { ...env, API_PORT: String(port), ISSUER: 'http://127.0.0.1:9' },
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    return program;
  };
  expect(await migrate(env, '--check')).toMatchObject({ code: 3, stderr: '' });
  const refused = await start().ended;
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The helpdesk API cannot start: .* MIGRATE_AT_START is false; run the command migrate first\n$/,
    ),
  ]);
  const created = /^The database was created with schema \d+\.\n$/;
  expect(await migrate(env)).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(created) });
  expect(await migrate(env, '--check')).toMatchObject({ code: 0 });
  await untilReady(`http://127.0.0.1:${port}`, start());
}

describe('the migrate command', () => {
  it('creates the SQLite file that a server with MIGRATE_AT_START=false refuses to create', async () =>
    migrateFirst(await createSqliteDatabase()));

  it('reports in one line why a database cannot be migrated', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrate-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { code, stderr } = await migrate({ STORAGE_URL: `sqlite:${folder}` });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database \S+ cannot be used: [^\n]*\n$/)]);
  });

  describeWith('mongodb', 'on MongoDB', (url) => {
    it('creates the collections and indexes that a server with MIGRATE_AT_START=false refuses to create', async () =>
      migrateFirst(await createMongoDatabase(url)));
  });
});
