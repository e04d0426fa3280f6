import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from './sqlite.ts';

const migrations = ['CREATE TABLE notes (text TEXT UNIQUE) STRICT'];

const PAGE_BYTES = 4096;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-sqlite-'));
  path = join(folder, 'new', 'notes.db');
});
afterEach(() => rm(folder, { recursive: true }));

async function openInAnotherProcess(startAt: string) {
  const program = fileURLToPath(new URL('open-and-write.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, [program, path, startAt], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [exitCode, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { exitCode, output: out + err };
}

function setPragmas(pragmas: string): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA ${pragmas}`);
  db.close();
}

describe('opening a SQLite database', () => {
  it('creates the folder and persists data', async () => {
    const first = openSqlite({ path, migrations });
    await first.write(() => first.prepare('INSERT INTO notes VALUES (?)').run('kept'));
    await first.close();
    const second = openSqlite({ path, migrations });
    expect(second.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }]);
    await second.close();
  });

  it('creates private files in any folder and keeps the mode of existing ones', async () => {
    await mkdir(dirname(path), { mode: 0o755 });
    const modes = () =>
      Promise.all(['', '-wal', '-shm'].map(async (end) => (await stat(path + end)).mode & 0o777));
    const first = openSqlite({ path, migrations });
    expect(await modes()).toEqual([0o600, 0o600, 0o600]);
    await first.close();
    await chmod(path, 0o640);
    const second = openSqlite({ path, migrations });
    expect(await modes()).toEqual([0o640, 0o640, 0o640]);
    await second.close();
  });

  it('runs each migration once when several processes open a new file concurrently', async () => {
    const startAt = String(Date.now() + 1_500);
    const racers = Array.from({ length: 4 }, () => openInAnotherProcess(startAt));
    expect(await Promise.all(racers)).toEqual(Array(4).fill({ exitCode: 0, output: '' }));
    const { prepare, close } = openSqlite({ path, migrations });
    expect(prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 4 });
    await close();
  });

  it('waits while another process migrates', async () => {
    await mkdir(dirname(path));
    const migrating = new DatabaseSync(path);
    migrating.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
    const opening = openInAnotherProcess('0');
    await sleep(1_000);
    migrating.exec('COMMIT');
    expect(await opening).toEqual({ exitCode: 0, output: '' });
    migrating.close();
  });

  it('reports the blocking process when a migration cannot run', async () => {
    await openSqlite({ path, migrations: [] }).close();
    const writing = new DatabaseSync(path);
    writing.exec('BEGIN IMMEDIATE');
    const { exitCode, output } = await openInAnotherProcess('0');
    writing.close();
    expect(exitCode).not.toBe(0);
    expect(output).toContain('another process has been writing for 10 seconds; retry when it has ended');
  });

  it('runs only the missing migrations of an older database', async () => {
    await openSqlite({ path, migrations }).close();
    const { prepare, close } = openSqlite({
      path,
      migrations: [...migrations, 'ALTER TABLE notes ADD COLUMN colour TEXT'],
    });
    expect(prepare('SELECT colour FROM notes').all()).toEqual([]);
    expect(prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    await close();
  });

  it('leaves an older database unchanged when a migration fails', async () => {
    await openSqlite({ path, migrations }).close();
    const faulty = [...migrations, 'ALTER TABLE notes ADD COLUMN colour TEXT', 'CREATE TYPO'];
    expect(() => openSqlite({ path, migrations: faulty })).toThrow(
      /notes\.db cannot be used: .*syntax error/,
    );
    const { prepare, close } = openSqlite({ path, migrations });
    expect(prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    await close();
  });

  it('refuses a database of a newer version', async () => {
    await openSqlite({ path, migrations: [...migrations, 'CREATE TABLE later (id)'] }).close();
    expect(() => openSqlite({ path, migrations })).toThrow(
      `The database ${path} cannot be used: it was written by a newer Keydesk (schema 2; programs need schema 2 or later, and this version has 1)`,
    );
  });

  it('refuses the database of another program', async () => {
    await openSqlite({ path, migrations, applicationId: 1 }).close();
    for (const applicationId of [undefined, 2]) {
      const opening = () => openSqlite({ path, migrations, ...(applicationId && { applicationId }) });
      expect(opening).toThrow(`The database ${path} cannot be used: it belongs to another program`);
    }
    await openSqlite({ path, migrations, applicationId: 1 }).close();
  });

  it('refuses a database with tables but no version, and leaves it unchanged', async () => {
    await mkdir(dirname(path));
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE letters (id)');
    other.close();
    const before = await readFile(path);
    expect(() => openSqlite({ path, migrations })).toThrow('it belongs to another program');
    expect(await readFile(path)).toEqual(before);
  });

  it('counts versions from firstVersion, and refuses that version and lower ones with advice', async () => {
    const options = { path, migrations, applicationId: 1, firstVersion: 7 };
    const { prepare, close } = openSqlite(options);
    expect(prepare('PRAGMA user_version').get()).toEqual({ user_version: 8 });
    await close();
    await openSqlite({ ...options, migrations: [...migrations, 'CREATE TABLE later (id)'] }).close();
    expect(() => openSqlite(options)).toThrow('(schema 9; programs need schema 9 or later');
    for (const mark of [0, 1]) {
      setPragmas(`application_id = ${mark}; PRAGMA user_version = 7`);
      expect(() => openSqlite(options)).toThrow(
        `The database ${path} cannot be used: it was written by a Keydesk before 0.9 (schema 7); move the file away`,
      );
    }
    setPragmas('application_id = 2');
    expect(() => openSqlite(options)).toThrow('it belongs to another program');
  });

  it('reports in one line why a file cannot be used', async () => {
    const prose = join(folder, 'notes.txt');
    await writeFile(prose, 'not a database at all\n'.repeat(100));
    expect(() => openSqlite({ path: prose, migrations })).toThrow(
      `The database ${prose} cannot be used: file is not a database`,
    );
    expect(() => openSqlite({ path: join(prose, 'notes.db'), migrations })).toThrow(/cannot be used: EEXIST/);
    expect(() => openSqlite({ path: ':memory:', migrations })).toThrow(/write-ahead logging/);
  });

  it('syncs each commit to disk and enforces foreign keys', async () => {
    const { prepare, close } = openSqlite({ path, migrations });
    expect(prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    await close();
  });

  it('syncs at checkpoints only in bulk mode', async () => {
    const { prepare, close } = openSqlite({ path, migrations, isBulk: true });
    expect(prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
    await close();
  });
});

describe('reading', () => {
  it('sees one state despite concurrent commits of another process', async () => {
    const { prepare, read, close } = openSqlite({ path, migrations });
    const other = new DatabaseSync(path);
    const count = prepare('SELECT count(*) AS n FROM notes');
    const counts = read(() => {
      const before = count.get();
      other.exec(`INSERT INTO notes VALUES ('meanwhile')`);
      return [before, count.get()];
    });
    expect(counts).toEqual([{ n: 0 }, { n: 0 }]);
    expect(read(() => count.get())).toEqual({ n: 1 });
    other.close();
    await close();
  });

  it('sees uncommitted changes inside a write', async () => {
    const { prepare, read, write, close } = openSqlite({ path, migrations });
    const seen = await write(() => {
      prepare('INSERT INTO notes VALUES (?)').run('own');
      return read(() => prepare('SELECT text FROM notes').all());
    });
    expect(seen).toEqual([{ text: 'own' }]);
    await close();
  });

  it('works while another process holds the write lock', async () => {
    const { prepare, read, close } = openSqlite({ path, migrations });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(read(() => prepare('SELECT text FROM notes').all())).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await close();
  });
});

describe('a damaged file', () => {
  it('is reported as unavailable to readers and writers, with the engine error as cause', async () => {
    const first = openSqlite({ path, migrations });
    await first.write(() => first.prepare('INSERT INTO notes VALUES (?)').run('soon lost'));
    await first.close();
    const { prepare, read, write, close } = openSqlite({ path, migrations });
    const insert = prepare('INSERT INTO notes VALUES (?)');
    const select = prepare('SELECT text FROM notes');
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(2 * PAGE_BYTES, 0xff), { position: PAGE_BYTES });
    await file.close();
    const unavailable = { code: 'unavailable', cause: { errcode: 11 } };
    await expect(write(() => insert.run('more'))).rejects.toMatchObject(unavailable);
    expect(() => read(() => select.all())).toThrow(expect.objectContaining({ code: 'unavailable' }));
    await close();
  });

  it('is not reported for an invalid statement, which is a bug', async () => {
    const { prepare, read, write, close } = openSqlite({ path, migrations });
    expect(() => read(() => prepare('SELECT colour FROM notes'))).toThrow('no such column');
    await expect(write(() => prepare('SELECT colour FROM notes'))).rejects.toThrow('no such column');
    await close();
  });
});

describe('the version counter of a SQLite database', () => {
  it('changes with each commit of any process, and only then', async () => {
    const [sqlite, other] = [openSqlite({ path, migrations }), openSqlite({ path, migrations })];
    const add = ({ write, prepare }: typeof sqlite, text: string) =>
      write(() => prepare('INSERT INTO notes VALUES (?)').run(text));
    const first = sqlite.commitVersion();
    expect(sqlite.commitVersion()).toBe(first);

    let atCommit: number | undefined;
    await add(sqlite, 'own').then(() => {
      atCommit = sqlite.commitVersion();
    });
    expect(atCommit).not.toBe(first);
    expect(sqlite.commitVersion()).toBe(atCommit);

    await add(other, 'other');
    const afterOther = sqlite.commitVersion();
    expect([first, atCommit]).not.toContain(afterOther);
    expect(sqlite.commitVersion()).toBe(afterOther);

    await expect(add(sqlite, 'own')).rejects.toThrow('UNIQUE');
    await Promise.all([sqlite.close(), other.close()]);
    expect(() => sqlite.commitVersion()).toThrow('closed');
    expect(() => sqlite.readOne(() => undefined)).toThrow('closed');
  });
});
