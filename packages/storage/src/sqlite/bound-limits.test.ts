import { constants, DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideBoundLimits } from './bound-limits.ts';

describe('bound limits', () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('a'), ('b'), ('c')");
  });
  afterEach(() => db.close());

  /** Counts how often SQLite prepares a statement: only then does it ask the authorizer. */
  function countPreparations(sql: string, limits: readonly number[]): number {
    let selects = 0;
    db.setAuthorizer((action) => {
      if (action === constants.SQLITE_SELECT) selects += 1;
      return constants.SQLITE_OK;
    });
    const statement = db.prepare(sql);
    for (const limit of limits) expect(statement.all(limit)).toHaveLength(limit);
    db.setAuthorizer(null);
    return selects;
  }

  const sql = 'SELECT text FROM notes ORDER BY text LIMIT ?';

  it('keep the statement prepared', () => {
    expect(countPreparations(hideBoundLimits(sql), [2, 2, 3, 1])).toBe(1);
  });

  it('would cost a preparation for each binding', () => {
    expect(countPreparations(sql, [2, 2, 3, 1])).toBeGreaterThan(1);
  });

  it('leave other parameters to the planner', () => {
    const statement = "SELECT 'LIMIT', text FROM notes WHERE text > ? AND text < ? LIMIT 10 OFFSET ?";
    expect(hideBoundLimits(statement)).toBe(statement);
  });
});
