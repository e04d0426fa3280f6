import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '@keydesk/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from './sqlite.ts';

const migrations = ['CREATE TABLE notes (text TEXT UNIQUE) STRICT'];
const program = join(import.meta.dirname, 'read-and-write.main.fixture.ts');

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-full-'));
  path = join(folder, 'notes.db');
});
afterEach(() => rm(folder, { recursive: true }));

const openWithNote = async () => {
  const sqlite = openSqlite({ path, migrations });
  await sqlite.write(() => sqlite.prepare('INSERT INTO notes VALUES (?)').run('kept'));
  return sqlite;
};
const runOnFullDisk = () => startProgram(program, { args: [path], isDiskFull: true }).ended;
const refusal =
  'unavailable: The storage is full or read-only; retry after its operator has made it writable.';

describe('a SQLite database on a full disk', () => {
  it('can be opened and read after a clean shutdown, and refuses writes with a clear error', async () => {
    await (await openWithNote()).close();
    const { code, stdout, stderr } = await runOnFullDisk();
    expect(JSON.parse(stdout)).toEqual({ notes: [{ text: 'kept' }], outcome: refusal });
    expect(stderr).toMatch(/Warning: The disk is full\. No other process can use .*notes\.db until/);
    expect(code).toBe(0);
  });

  it('can be shared with a process that has it open', async () => {
    const sqlite = await openWithNote();
    const { stdout, stderr } = await runOnFullDisk();
    expect(JSON.parse(stdout)).toEqual({ notes: [{ text: 'kept' }], outcome: refusal });
    expect(stderr).toBe('');
    await sqlite.close();
  });

  it('is unchanged and writable again when space is freed', async () => {
    await (await openWithNote()).close();
    await runOnFullDisk();
    const { stdout } = await startProgram(program, { args: [path] }).ended;
    expect(JSON.parse(stdout)).toEqual({ notes: [{ text: 'kept' }], outcome: 'stored' });
  });

  it('is not created, with a one-line error', async () => {
    const { code, stderr } = await runOnFullDisk();
    expect(stderr).toMatch(
      /Error: The database .*notes\.db cannot be used: (disk I\/O error|database or disk is full)\n/,
    );
    expect(code).toBe(1);
  });
});
