import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, type Sqlite } from './sqlite.ts';

const LOCK_TIMEOUT_MS = 1_000;
const migrations = [
  `CREATE TABLE notes (text TEXT UNIQUE) STRICT;
   CREATE TABLE replies (note TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED) STRICT`,
];

let folder: string;
let path: string;
let sqlite: Sqlite;
/** A second connection, like that of another process. */
let other: DatabaseSync;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-group-commit-'));
  path = join(folder, 'notes.db');
  sqlite = openSqlite({ path, migrations, lockTimeoutMs: LOCK_TIMEOUT_MS });
  other = new DatabaseSync(path);
});
afterEach(async () => {
  other.close();
  await sqlite.close();
  await rm(folder, { recursive: true });
});

/** Returns a change that adds a note. */
const adding = (text: string) => () => {
  sqlite.prepare('INSERT INTO notes VALUES (?)').run(text);
  return text;
};

/** Returns the committed notes. */
const notes = () =>
  other
    .prepare('SELECT text FROM notes ORDER BY text')
    .all()
    .map((row) => row.text);

/** Counts commits in the log: frames with the size of the database after them (SQLite file format, §4.1). */
function countCommits(): number {
  const log = readFileSync(`${path}-wal`);
  const frameSize = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame + frameSize <= log.length; frame += frameSize) {
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  }
  return commits;
}

describe('changes that arrive within a few turns of the event loop', () => {
  it('share one commit', async () => {
    const before = countCommits();
    await Promise.all(Array.from({ length: 50 }, (_, i) => sqlite.write(adding(`note ${i}`))));
    expect(notes()).toHaveLength(50);
    expect(countCommits() - before).toBe(1);
  });

  it('share one commit even when they arrive in different turns', async () => {
    const before = countCommits();
    const writes: Promise<string>[] = [];
    for (let i = 0; i < 4; i += 1) {
      writes.push(sqlite.write(adding(`note ${i}`)));
      await nextTurn();
    }
    await Promise.all(writes);
    expect(countCommits() - before).toBe(1);
  });

  it('resolve with their results after the commit', async () => {
    const [first] = await Promise.all([
      sqlite.write(adding('first')).then(notes),
      sqlite.write(adding('second')),
    ]);
    expect(first).toEqual(['first', 'second']);
    expect(await sqlite.write(adding('third'))).toBe('third');
  });

  it('fail individually', async () => {
    const outcomes = await Promise.allSettled([
      sqlite.write(adding('a')),
      sqlite.write(() => {
        adding('half done')();
        throw new Error('no');
      }),
      sqlite.write(adding('b')),
      sqlite.write(adding('a')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { message: 'no' } });
    expect(outcomes[3]).toMatchObject({ reason: { message: expect.stringContaining('UNIQUE') } });
    expect(notes()).toEqual(['a', 'b']);
  });

  it('run again when one of them fails, and resolve with the second result', async () => {
    let calls = 0;
    const countRows = () => Number(sqlite.prepare('SELECT count(*) AS n FROM notes').get()?.n);
    const counting = () => {
      calls += 1;
      adding('counted')();
      return countRows();
    };
    const failing = () => {
      adding('undone')();
      throw new Error('no');
    };
    const [counted, failed] = await Promise.allSettled([sqlite.write(counting), sqlite.write(failing)]);
    expect(counted).toEqual({ status: 'fulfilled', value: 1 });
    expect(failed.status).toBe('rejected');
    expect(calls).toBe(2);
    expect(notes()).toEqual(['counted']);
  });

  it('may be thousands', async () => {
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => sqlite.write(adding(`note ${i}`))));
    expect(notes()).toHaveLength(3_000);
  });

  it('release the event loop and the write lock between commits', async () => {
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => sqlite.write(adding(`note ${i}`))));
    clearInterval(counter);
    expect(turns).toBeGreaterThan(3);
  });

  it('are all refused as unavailable when the disk is full; later ones succeed', async () => {
    sqlite.prepare('PRAGMA max_page_count = 20').get();
    const writes = Array.from({ length: 200 }, (_, i) => sqlite.write(adding(`${i} `.padEnd(2_000, 'x'))));
    const outcomes = await Promise.allSettled(writes);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    const diskFull = { code: 'unavailable', cause: { errcode: 13 } };
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject(diskFull);
    expect(notes()).toHaveLength(200 - refused.length);
    sqlite.prepare('PRAGMA max_page_count = 10000').get();
    await sqlite.write(adding('room again'));
    expect(notes()).toContain('room again');
  });

  it('are all refused when their commit fails; later ones succeed', async () => {
    const orphan = () => sqlite.prepare('INSERT INTO replies VALUES (?)').run('no such note');
    const outcomes = await Promise.allSettled([sqlite.write(adding('note')), sqlite.write(orphan)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await sqlite.write(adding('later'));
    expect(notes()).toEqual(['later']);
  });
});

describe('a single change', () => {
  it('is rolled back and refused when it fails, without affecting later ones', async () => {
    const failing = sqlite.write(() => {
      adding('half done')();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(sqlite.write(adding('a'))).resolves.toBe('a');
    await expect(sqlite.write(adding('a'))).rejects.toThrow('UNIQUE');
    expect(notes()).toEqual(['a']);
  });

  it('has a constant cost per statement', async () => {
    const texts = Array.from({ length: 10_000 }, (_, i) => `${i}`.padEnd(500, 'x'));
    const insert = sqlite.prepare('INSERT INTO notes VALUES (?)');
    await sqlite.write(() => texts.map((text) => insert.run(text)));
    const update = sqlite.prepare('UPDATE notes SET text = ? WHERE text = ? RETURNING text');
    const measure = (some: readonly string[]) => {
      const before = process.cpuUsage();
      for (const text of some) update.all(`${text}y`, text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [first, last] = await sqlite.write(() => {
      const beginning = measure(texts.slice(0, 1_000));
      measure(texts.slice(1_000, -1_000));
      return [beginning, measure(texts.slice(-1_000))];
    });
    expect(last).toBeLessThan(5 * Number(first));
  });
});

describe('while another process holds the write lock', () => {
  beforeEach(() => other.exec('BEGIN IMMEDIATE'));

  /** Opens the database with a lock time-out longer than any test. */
  function openPatiently() {
    other.exec('COMMIT');
    const patient = openSqlite({ path, migrations, lockTimeoutMs: 60 * LOCK_TIMEOUT_MS });
    other.exec('BEGIN IMMEDIATE');
    const add = (text: string) =>
      patient.write(() => patient.prepare('INSERT INTO notes VALUES (?)').run(text));
    return { ...patient, add };
  }

  it('a change waits without blocking the event loop', async () => {
    const patient = openPatiently();
    let turns = 0;
    const counter = setInterval(() => turns++, 1);
    const writing = patient.add('waited');
    await sleep(LOCK_TIMEOUT_MS);
    clearInterval(counter);
    other.exec('COMMIT');
    await writing;
    await patient.close();
    expect(notes()).toEqual(['waited']);
    // Hundreds on an idle machine.
    expect(turns).toBeGreaterThan(20);
  });

  it('a change is refused as unavailable after the time-out; the next one succeeds', async () => {
    await expect(sqlite.write(adding('too late'))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
      cause: { errcode: 5 },
    });
    other.exec('COMMIT');
    await sqlite.write(adding('in time'));
    expect(notes()).toEqual(['in time']);
  });

  it('close waits for earlier changes and refuses later ones', async () => {
    const patient = openPatiently();
    const arrived = [patient.add('one'), patient.add('two')];
    const closing = patient.close();
    await expect(patient.add('late')).rejects.toMatchObject({ code: 'unavailable' });
    await sleep(50);
    other.exec('COMMIT');
    await Promise.all([...arrived, closing]);
    expect(notes()).toEqual(['one', 'two']);
  });
});
