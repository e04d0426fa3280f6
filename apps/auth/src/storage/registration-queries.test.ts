import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { initialAccessTokenSql } from './sqlite/clients/initial-access-tokens.ts';
import { registrationSql } from './sqlite/clients/registrations.ts';
import { migrations } from './sqlite/migrations.ts';
import { securityEventSql } from './sqlite/security-events.ts';

describe('every query of registrations and security events uses an index on SQLite', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const step of migrations) sqlite.exec(step);
  afterAll(() => sqlite.close());

  const { insert: _token, list: _list, ...ofTokens } = initialAccessTokenSql;
  const { insert: _registration, ...ofRegistrations } = registrationSql;

  const { insert: _event, ...ofEvents } = securityEventSql;

  it.each([...Object.entries(ofTokens), ...Object.entries(ofRegistrations), ...Object.entries(ofEvents)])(
    '%s',
    (_name, sql) => {
      const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      for (const { detail } of plan) expect(detail).not.toMatch(/SCAN|TEMP B-TREE/);
    },
  );
});
