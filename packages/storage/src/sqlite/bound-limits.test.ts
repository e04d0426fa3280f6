import { constants, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideBoundLimits } from './bound-limits.ts';

type Bound = number | Record<string, SQLInputValue>;

describe('bound limits', () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('a'), ('b'), ('c')");
  });
  afterEach(() => db.close());

  const run = (statement: StatementSync, bound: Bound) =>
    typeof bound === 'number' ? statement.all(bound) : statement.all(bound);

  /** Counts how often SQLite prepares a statement for these limits: only then does it ask the authorizer. */
  function countPreparations(sql: string, bind: (limit: number) => Bound): number {
    let selects = 0;
    db.setAuthorizer((action) => {
      if (action === constants.SQLITE_SELECT) selects += 1;
      return constants.SQLITE_OK;
    });
    const statement = db.prepare(sql);
    for (const limit of [2, 2, 3, 1]) expect(run(statement, bind(limit))).toHaveLength(limit);
    db.setAuthorizer(null);
    return selects;
  }

  describe.each([
    ['?', (limit: number) => limit],
    [':limit', (limit: number) => ({ limit })],
  ] as const)('as %s', (parameter, bind) => {
    const sql = `SELECT text FROM notes ORDER BY text LIMIT ${parameter}`;

    it('keep the statement prepared', () => {
      expect(countPreparations(hideBoundLimits(sql), bind)).toBe(1);
    });

    it('would cost a preparation for each binding', () => {
      expect(countPreparations(sql, bind)).toBeGreaterThan(1);
    });
  });

  it('leave other parameters to the planner', () => {
    const statement = "SELECT 'LIMIT', text FROM notes WHERE text > ? AND text < ? LIMIT 10 OFFSET ?";
    expect(hideBoundLimits(statement)).toBe(statement);
  });
});
