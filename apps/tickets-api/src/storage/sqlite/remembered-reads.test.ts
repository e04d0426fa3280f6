import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type Sqlite } from '@keydesk/storage/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rememberReads } from './remembered-reads.ts';

const migrations = ['CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT) STRICT'];

let folder: string;
let sqlite: Sqlite;
/** As another process would have it. */
let other: Sqlite;
let reads: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-remembered-'));
  const path = join(folder, 'notes.db');
  [sqlite, other] = [openSqlite({ path, migrations }), openSqlite({ path, migrations })];
  reads = [];
});
afterEach(async () => {
  await Promise.all([sqlite.close(), other.close()]);
  await rm(folder, { recursive: true });
});

function startReading(maxSize = 100) {
  const select = sqlite.prepare('SELECT text FROM notes WHERE id = ?');
  const query = (id: string) => {
    reads.push(id);
    return select.get(id);
  };
  return rememberReads(sqlite, query, { maxSize, toKey: (id) => id, sizeOf: () => 1 });
}

const write = ({ write, prepare }: Sqlite, id: string, text: string) =>
  write(() => prepare('INSERT OR REPLACE INTO notes VALUES (?, ?)').run(id, text));

it('what was read is given again, as the same object, until somebody commits', async () => {
  await write(sqlite, 'a', 'one');
  const find = startReading();
  const first = find('a');
  expect(find('a')).toBe(first);
  expect(reads).toEqual(['a']);

  await write(sqlite, 'a', 'two');
  expect(find('a')).toEqual({ text: 'two' });
  await write(other, 'a', 'three');
  expect(find('a')).toEqual({ text: 'three' });
  await write(other, 'b', 'another');
  expect(find('a')).toEqual({ text: 'three' });
  expect(reads).toHaveLength(4);
});

it('what is not there is looked for each time', async () => {
  const find = startReading();
  expect([find('a'), find('a')]).toEqual([undefined, undefined]);
  await write(other, 'a', 'there now');
  expect(find('a')).toEqual({ text: 'there now' });
});

it('no more is remembered than there is room for', async () => {
  for (const id of ['a', 'b', 'c']) await write(sqlite, id, id);
  const find = startReading(2);
  for (const id of ['a', 'b', 'c', 'b', 'c', 'a']) find(id);
  expect(reads).toEqual(['a', 'b', 'c', 'a']);
});
