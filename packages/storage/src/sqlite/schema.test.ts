import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteMigration } from './migration.ts';
import { openSqlite } from './sqlite.ts';

const first = 'CREATE TABLE notes (text TEXT UNIQUE) STRICT';
const expansion = 'ALTER TABLE notes ADD COLUMN colour TEXT';
const contraction = 'ALTER TABLE notes DROP COLUMN colour';

/** Three releases in a row; the third one ends the compatibility with the first. */
const [one, two, three] = [
  { migrations: [first] },
  { migrations: [first, expansion], oldestReader: 1 },
  { migrations: [first, expansion, contraction], oldestReader: 2 },
];

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-schema-'));
  path = join(folder, 'notes.db');
});
afterEach(() => rm(folder, { recursive: true }));

describe('two adjacent versions on one SQLite file', () => {
  it('work side by side: the older one opens, reads and writes what the newer one has expanded', async () => {
    const running = openSqlite({ path, ...one });
    const insert = running.prepare('INSERT INTO notes (text) VALUES (?)');
    const select = running.prepare('SELECT * FROM notes ORDER BY text');
    await running.write(() => insert.run('before'));
    expect(running.read(() => select.all())).toEqual([{ text: 'before' }]);

    const newer = openSqlite({ path, ...two });
    await running.write(() => insert.run('beside'));
    const restarted = openSqlite({ path, ...one });
    const again = restarted.prepare('INSERT INTO notes (text) VALUES (?)');
    await restarted.write(() => again.run('rolled back'));
    const all = ['before', 'beside', 'rolled back'].map((text) => ({ text, colour: null }));
    expect(newer.read(() => newer.prepare('SELECT * FROM notes ORDER BY text').all())).toEqual(all);
    expect(running.read(() => select.all())).toEqual(all);
    expect(newer.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    await Promise.all([running.close(), newer.close(), restarted.close()]);
  });

  it('refuse each other after a contraction that the older one does not support', async () => {
    await openSqlite({ path, ...two }).close();
    await openSqlite({ path, ...three }).close();
    await openSqlite({ path, ...two }).close();
    expect(() => openSqlite({ path, ...one })).toThrow(
      'it was written by a newer Keydesk (schema 3; programs need schema 2 or later, and this version has 1)',
    );
  });
});

describe('a program that must not migrate', () => {
  const refusal = /MIGRATE_AT_START is false; run the command migrate first$/;

  it('refuses a missing file without creating it', () => {
    expect(() => openSqlite({ path, ...one, canMigrate: false })).toThrow(refusal);
    expect(existsSync(path)).toBe(false);
  });

  it('refuses an older file and leaves it unchanged, and opens a current or newer one', async () => {
    await openSqlite({ path, ...one }).close();
    await openSqlite({ path, ...one, canMigrate: false }).close();
    expect(() => openSqlite({ path, ...two, canMigrate: false })).toThrow(
      /cannot be used: it has schema 1, this version needs schema 2 \(schema step 2 missing\)/,
    );
    await openSqlite({ path, ...two }).close();
    await openSqlite({ path, ...one, canMigrate: false }).close();
  });
});

describe('the migration of a SQLite file', () => {
  it('inspects a missing file without creating it, and creates it', async () => {
    const { inspect, run } = createSqliteMigration({ path, ...two });
    const isNew = { found: undefined, supported: 2, due: ['schema step 1', 'schema step 2'] };
    expect(await inspect()).toMatchObject(isNew);
    expect(existsSync(path)).toBe(false);
    expect(await run()).toMatchObject(isNew);
    expect(await inspect()).toEqual({ found: 2, supported: 2, due: [], isExpansion: true });
  });

  it('is done once, and nothing is due for an older program', async () => {
    await openSqlite({ path, ...one }).close();
    const { inspect, run } = createSqliteMigration({ path, ...two });
    expect(await inspect()).toEqual({ found: 1, supported: 2, due: ['schema step 2'], isExpansion: true });
    expect(await run()).toMatchObject({ found: 1, due: ['schema step 2'] });
    expect(await run()).toMatchObject({ found: 2, due: [] });
    expect(await createSqliteMigration({ path, ...one }).run()).toMatchObject({
      found: 2,
      supported: 1,
      due: [],
    });
  });

  it('reports that servers of the version before have to stop', async () => {
    await openSqlite({ path, ...one }).close();
    expect(await createSqliteMigration({ path, ...three }).inspect()).toMatchObject({ isExpansion: false });
    await openSqlite({ path, ...two }).close();
    expect(await createSqliteMigration({ path, ...three }).inspect()).toMatchObject({ isExpansion: true });
  });

  it('reports in one line why a file cannot be used', async () => {
    await openSqlite({ path, ...three, applicationId: 1 }).close();
    await expect(createSqliteMigration({ path, ...three }).inspect()).rejects.toThrow(
      `The database ${path} cannot be used: it belongs to another program`,
    );
  });
});
