import { existsSync, statSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** Time limit for opening while another process recovers the log of a crashed one. */
const OPENING_WAIT_MS = 10_000;
/**
 * Copies all pages in one step, from one committed state. With several steps, each commit would restart the copy.
 */
const ALL_PAGES = 0x7f_ff_ff_ff;

/**
 * Copies a SQLite database into one private file while other processes use it. The file appears when it is complete,
 * checked and durable. No migration runs.
 *
 * @param finish modifies the copy before it appears
 * @returns the size of the copy in bytes
 * @throws {Error} with a one-line message when the target exists or the database cannot be copied
 */
export async function backUpSqlite(
  from: string,
  to: string,
  finish?: (copy: DatabaseSync) => void,
): Promise<number> {
  if (existsSync(to)) throw new Error(`The file ${to} already exists; choose another name.`);
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

/** Checks the integrity of the copy and removes its log, so that it is a single file. */
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
