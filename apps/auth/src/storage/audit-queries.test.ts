import { DatabaseSync } from 'node:sqlite';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRecord } from '../audit/audit-record.fixture.ts';
import type { AuditPage } from '../audit/audit-store.ts';
import { createMongoAuditStore, toAuditFilter } from './mongo/audit.ts';
import { openMongoStorage } from './mongo/storage.ts';
import { auditSql } from './sqlite/audit.ts';
import { migrations } from './sqlite/migrations.ts';

const pages: AuditPage[] = [
  { limit: 10, types: ['token.reused'] },
  { limit: 10, accountId: 'account' },
  { limit: 10, clientId: 'client', types: ['token.reused', 'token.revoked'] },
  { limit: 10, accountId: 'account', clientId: 'client' },
];

describe('every audit query uses an index on SQLite', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const step of migrations) sqlite.exec(step);
  afterAll(() => sqlite.close());

  const { insert: _insert, ...statements } = auditSql;

  it.each(Object.entries(statements))('%s', (name, sql) => {
    const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.length).toBeGreaterThan(0);
    for (const { detail } of plan) expect(detail).not.toMatch(/SCAN audit_records|TEMP B-TREE/);
    const index = { listOfType: 'by_type', listOfAccount: 'by_account', listOfClient: 'by_client' }[name];
    if (index) expect(JSON.stringify(plan)).toContain(`audit_records_${index}`);
  });
});

describeWith('mongodb', 'every audit list uses an index on MongoDB', (url) => {
  const database = `keydesk_auth_audit_queries_${process.pid}`;
  let connection: Connection;

  beforeAll(async () => {
    await (await openMongoStorage({ url, database })).close();
    connection = await openMongo({ url, database });
    const records = Array.from({ length: 20 }, () => exampleRecord({ accountId: 'account' }));
    await createMongoAuditStore(connection).append(records);
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it.each(pages)('%j', async (page) => {
    const filter = toAuditFilter(page);
    // The first member selects, the others only refine; the MongoDB stand-in plans for only one member.
    const [[member = '', condition] = []] = Object.entries(filter);
    const list = connection.collection('audit_records').find({ [member]: condition });
    const { winningPlan } = (await list.explain('queryPlanner')).queryPlanner;
    expect(JSON.stringify(winningPlan)).toContain('IXSCAN');
    expect(JSON.stringify(winningPlan)).toContain(`${member}_1_`);
  });
});
