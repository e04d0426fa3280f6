import { DatabaseSync } from 'node:sqlite';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleAccount } from '../accounts/account/account.fixture.ts';
import type { AccountPage } from '../accounts/account/account-store.ts';
import { createMongoAccountStore, toAccountFilter } from './mongo/accounts/accounts.ts';
import { openMongoStorage } from './mongo/storage.ts';
import { accountTokenSql } from './sqlite/accounts/account-tokens.ts';
import { accountListSql, accountSql } from './sqlite/accounts/accounts.ts';
import { migrations } from './sqlite/migrations.ts';

const pages: AccountPage[] = [
  { limit: 10 },
  { limit: 10, afterEmail: 'ann@example.org' },
  { limit: 10, emailPrefix: 'ann' },
  { limit: 10, role: 'agent' },
  { limit: 10, status: 'active', emailPrefix: 'ann' },
  { limit: 10, role: 'agent', status: 'disabled', afterEmail: 'ann@example.org' },
];

describe('every account query uses an index on SQLite', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const step of migrations) sqlite.exec(step);
  afterAll(() => sqlite.close());

  const { insert: _account, ...ofAccounts } = accountSql;
  const { insert: _token, ...ofTokens } = accountTokenSql;
  const statements = [
    ...pages.map((page) => ({ name: `list ${JSON.stringify(page)}`, sql: accountListSql(page) })),
    ...Object.entries(ofAccounts).map(([name, sql]) => ({ name: `${name} of accounts`, sql })),
    ...Object.entries(ofTokens).map(([name, sql]) => ({ name: `${name} of tokens`, sql })),
  ];

  it.each(statements)('$name', ({ sql }) => {
    const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.length).toBeGreaterThan(0);
    for (const { detail } of plan) {
      expect(detail).not.toContain('TEMP B-TREE');
      expect(detail).not.toMatch(/^SCAN (accounts|account_tokens)/);
    }
  });
});

describeWith('mongodb', 'every account query but those by id uses an index on MongoDB', (url) => {
  const database = `keydesk_auth_queries_${process.pid}`;
  let connection: Connection;

  beforeAll(async () => {
    await (await openMongoStorage({ url, database })).close();
    connection = await openMongo({ url, database });
    const accounts = createMongoAccountStore(connection);
    for (let i = 0; i < 20; i += 1) await accounts.insert(exampleAccount());
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it.each(pages)('%j', async (page) => {
    const list = connection.model('Account').find(toAccountFilter(page)).sort({ email: 1 }).limit(10);
    const plan = JSON.stringify(await list.explain('queryPlanner'));
    expect(plan).toContain('IXSCAN');
    expect(plan).not.toContain('COLLSCAN');
  });

  it('listSignInsEnded', async () => {
    const filters: Record<string, unknown>[] = [];
    connection.set('debug', (_collection: string, _method: string, filter: Record<string, unknown>) =>
      filters.push(filter),
    );
    await createMongoAccountStore(connection).listSignInsEnded(new Date());
    expect(filters).toHaveLength(1);
    const plan = await connection
      .collection('accounts')
      .find({ ...filters[0] })
      .explain('queryPlanner');
    expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('IXSCAN');
  });
});
