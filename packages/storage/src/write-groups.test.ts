import { constants, DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWriteGroups, type WriteGroups } from './write-groups.ts';

const { SQLITE_DENY, SQLITE_OK, SQLITE_TRANSACTION } = constants;

let db: DatabaseSync;
let groups: WriteGroups;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE notes (text TEXT) STRICT');
  groups = createWriteGroups(db, { lockPatienceMs: 1_000, blockingWaitMs: 1_000, onCommit: () => undefined });
});
afterEach(() => {
  if (db.isOpen) db.close();
});

const add = () => db.prepare("INSERT INTO notes VALUES ('a')").run();
const countNotes = () => db.prepare('SELECT count(*) AS count FROM notes').get()?.count;
const unavailable = { code: 'unavailable' };

/** A change that fails halfway. */
function fail(): never {
  add();
  throw new Error('no');
}

/** SQLite refuses to end a transaction, as it does where there is no memory left to do so. */
function forbidRollback(): void {
  db.setAuthorizer((action, operation) =>
    action === SQLITE_TRANSACTION && operation === 'ROLLBACK' ? SQLITE_DENY : SQLITE_OK,
  );
}

describe('a group that cannot be rolled back', () => {
  beforeEach(forbidRollback);

  it('is refused with both reasons', async () => {
    await expect(groups.write(fail)).rejects.toMatchObject({
      ...unavailable,
      cause: { errors: [{ message: 'no' }, { message: 'not authorized' }] },
    });
  });

  it('is rolled back with the first later one for which that works, and leaves nothing behind', async () => {
    await expect(groups.write(fail)).rejects.toMatchObject(unavailable);
    await expect(groups.write(add)).rejects.toMatchObject(unavailable);
    db.setAuthorizer(null);
    await expect(groups.write(add)).rejects.toThrow('cannot start a transaction');
    await groups.write(add);
    expect(countNotes()).toBe(1);
  });
});

describe('a database that was closed under its writers', () => {
  it('refuses what waited and what comes later, and closing ends', async () => {
    const waiting = [groups.write(add), groups.write(add)];
    db.close();
    for (const writing of waiting) await expect(writing).rejects.toMatchObject(unavailable);
    await expect(groups.write(add)).rejects.toMatchObject(unavailable);
    await groups.close();
  });
});
