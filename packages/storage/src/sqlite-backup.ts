import { existsSync, statSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** Opening may wait this long for a process that recovers the log of one that was killed. */
const OPENING_WAIT_MS = 10_000;
/** In one step, which sees one committed state however much others write; in several, each of their commits begins it anew. */
const ALL_PAGES = 0x7f_ff_ff_ff;

/**
 * Copies a SQLite database, whoever reads and writes it meanwhile, into one file for this user alone. The file is there
 * once it is whole, checked and durable. The database stays as it is: no migration runs.
 *
 * @param finish changes the copy, before it is there
 * @returns how many bytes the copy has
 * @throws {Error} with one readable message when there is such a file already, or the database cannot be copied
 */
export async function backUpSqlite(
  from: string,
  to: string,
  finish?: (copy: DatabaseSync) => void,
): Promise<number> {
  if (existsSync(to)) throw new Error(`There is a file at ${to} already: name another.`);
  const partial = `${to}.${process.pid}.partial`;
  try {
    await writeFile(partial, '', { mode: 0o600, flag: 'wx' });
    await copy(from, partial);
    check(partial, finish);
    await makeDurable(partial);
    await rename(partial, to);
    await makeDurable(dirname(resolve(to)));
    return statSync(to).size;
  } catch (err) {
    await rm(partial, { force: true });
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`The database ${from} cannot be copied to ${to}: ${reason}`, { cause: err });
  }
}

async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { timeout: OPENING_WAIT_MS });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

/** A copy of a damaged database is none. Without a log of its own it is all in one file. */
function check(path: string, finish?: (copy: DatabaseSync) => void): void {
  const copied = new DatabaseSync(path);
  try {
    copied.exec('PRAGMA journal_mode = DELETE');
    const found = copied.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') throw new Error(`it is damaged (${found})`);
    finish?.(copied);
  } finally {
    copied.close();
  }
}

async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
