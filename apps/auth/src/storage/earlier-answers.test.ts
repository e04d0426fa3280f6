import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openStorage } from './open-storage.ts';
import { migrations } from './sqlite/migrations.ts';
import { createSqliteDatabase } from './test-database.fixture.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:01:00.000Z');

it('refresh responses stored by an earlier version are found on SQLite', async () => {
  const database = await createSqliteDatabase();
  const sqlite = new DatabaseSync(database.location.url.slice('sqlite:'.length));
  sqlite.exec(
    `${migrations.slice(0, 9).join(';')}; PRAGMA user_version = 9; PRAGMA application_id = ${0x4b_44_41_55}`,
  );
  const insert = sqlite.prepare(
    'INSERT INTO artifacts (model, key, payload, expires_at, consumed_at) VALUES (?, ?, ?, ?, ?)',
  );
  for (const key of ['one', 'two', 'three']) {
    insert.run('RefreshToken', key, Buffer.from('token'), later.getTime(), now.getTime());
    if (key !== 'two') insert.run('RefreshReplay', key, Buffer.from(`to ${key}`), later.getTime(), null);
  }
  sqlite.close();

  const { artifacts, close } = await openStorage(database.location);
  const textOf = async (key: string) => Buffer.from((await artifacts.findAnswer(key, now)) ?? []).toString();
  expect(await textOf('one')).toBe('to one');
  expect(await textOf('three')).toBe('to three');
  expect(await artifacts.findAnswer('two', now)).toBeUndefined();
  expect(await artifacts.findByModel('RefreshReplay', now, 10)).toEqual([]);
  expect(await artifacts.findByModel('RefreshToken', now, 10)).toHaveLength(3);
  await close();
  await database.drop();
});
