import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUpSqlite } from './backup.ts';
import { openSqlite, type Sqlite } from './sqlite.ts';

const migrations = ['CREATE TABLE notes (text TEXT) STRICT'];

describe('a backup of a SQLite database', () => {
  let folder: string;
  let from: string;
  let to: string;
  let served: Sqlite;
  let addNote: (text: string) => Promise<unknown>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keydesk-backup-'));
    [from, to] = [join(folder, 'notes.db'), join(folder, 'copy.db')];
    served = openSqlite({ path: from, migrations });
    const insert = served.prepare('INSERT INTO notes VALUES (?)');
    addNote = (text) => served.write(() => insert.run(text));
  });
  afterEach(async () => {
    await served.close();
    rmSync(folder, { recursive: true });
  });

  function notesOf(path: string): number {
    const db = new DatabaseSync(path);
    const count = db.prepare('SELECT count(*) AS n FROM notes').get()?.n;
    db.close();
    return Number(count);
  }

  it('contains all earlier commits, including those only in the log, in one private file', async () => {
    await addNote('in the log');
    const bytes = await backUpSqlite(from, to);
    expect(notesOf(to)).toBe(1);
    expect(statSync(to)).toMatchObject({ size: bytes, mode: 0o100600 });
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  });

  it('completes and is consistent during concurrent writes', async () => {
    for (let i = 0; i < 200; i += 1) await addNote('x'.repeat(4_000));
    let isOver = false;
    const copying = backUpSqlite(from, to).finally(() => {
      isOver = true;
    });
    copying.catch(() => undefined);
    while (!isOver) await addNote('meanwhile');
    await copying;
    expect(notesOf(to)).toBeGreaterThanOrEqual(200);
  });

  it('does not migrate the database', async () => {
    await served.close();
    const older = new DatabaseSync(from);
    older.exec('PRAGMA user_version = 0');
    older.close();
    await backUpSqlite(from, to);
    for (const path of [from, to]) {
      const db = new DatabaseSync(path);
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
      db.close();
    }
  });

  it('never overwrites a file', async () => {
    writeFileSync(to, 'the backup of yesterday');
    await expect(backUpSqlite(from, to)).rejects.toThrow(`The file ${to} already exists`);
    expect(readFileSync(to, 'utf8')).toBe('the backup of yesterday');
  });

  it('leaves no file when the database is damaged or the target folder does not exist', async () => {
    await served.close();
    const bytes = readFileSync(from);
    writeFileSync(from, bytes.fill(0xff, 4_096));
    await expect(backUpSqlite(from, to)).rejects.toThrow(/cannot be copied .*(damaged|malformed)/);
    await expect(backUpSqlite(from, join(folder, 'nowhere', 'copy.db'))).rejects.toThrow(
      /cannot be copied .*ENOENT/,
    );
    expect(readdirSync(folder)).toEqual(['notes.db']);
  });
});
