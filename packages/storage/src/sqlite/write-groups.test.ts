import { constants, DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWriteGroups, type WriteGroups } from './write-groups.ts';

const { SQLITE_DENY, SQLITE_OK, SQLITE_TRANSACTION } = constants;

let db: DatabaseSync;
let groups: WriteGroups;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE notes (text TEXT) STRICT');
  groups = createWriteGroups(db, {
    lockTimeoutMs: 1_000,
    statementLockTimeoutMs: 1_000,
    onCommit: () => undefined,
  });
});
afterEach(() => {
  if (db.isOpen) db.close();
});

const add = () => db.prepare("INSERT INTO notes VALUES ('a')").run();
const countNotes = () => db.prepare('SELECT count(*) AS count FROM notes').get()?.count;
const unavailable = { code: 'unavailable' };

/** Changes the database, then throws. */
function fail(): never {
  add();
  throw new Error('no');
}

/** Makes SQLite reject ROLLBACK, as it does when memory is exhausted. */
function forbidRollback(): void {
  db.setAuthorizer((action, operation) =>
    action === SQLITE_TRANSACTION && operation === 'ROLLBACK' ? SQLITE_DENY : SQLITE_OK,
  );
}

describe('a group that cannot be rolled back', () => {
  beforeEach(forbidRollback);

  it('is refused with both errors as cause', async () => {
    await expect(groups.write(fail)).rejects.toMatchObject({
      ...unavailable,
      cause: { errors: [{ message: 'no' }, { message: 'not authorized' }] },
    });
  });

  it('is rolled back by a later group, and leaves no changes', async () => {
    await expect(groups.write(fail)).rejects.toMatchObject(unavailable);
    await expect(groups.write(add)).rejects.toMatchObject(unavailable);
    db.setAuthorizer(null);
    await expect(groups.write(add)).rejects.toThrow('cannot start a transaction');
    await groups.write(add);
    expect(countNotes()).toBe(1);
  });
});

describe('a database closed during writes', () => {
  it('refuses pending and later writes, and close resolves', async () => {
    const waiting = [groups.write(add), groups.write(add)];
    db.close();
    for (const writing of waiting) await expect(writing).rejects.toMatchObject(unavailable);
    await expect(groups.write(add)).rejects.toMatchObject(unavailable);
    await groups.close();
  });
});
