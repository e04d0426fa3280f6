import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { openMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { client } from '../clients/client.fixture.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { TokenStatusStore } from '../token-status/token-status-store.ts';
import { createMongoArtifactStore } from './mongo/artifacts/artifacts.ts';
import { createMongoTokenStatusStore } from './mongo/artifacts/token-statuses.ts';
import { createMongoClientStore } from './mongo/clients/clients.ts';
import { openMongoStorage } from './mongo/storage.ts';
import { answerSql, artifactSql, ownerSql } from './sqlite/artifacts/artifacts.ts';
import { tokenStatusSql } from './sqlite/artifacts/token-statuses.ts';
import { clientLogoSql } from './sqlite/clients/client-logos.ts';
import { clientSql } from './sqlite/clients/clients.ts';
import { migrations } from './sqlite/migrations.ts';

describe('every query of artifacts and clients uses an index on SQLite', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const step of migrations) sqlite.exec(step);
  afterAll(() => sqlite.close());

  const { upsert: _upsert, insertOnce: _insertOnce, ...ofArtifacts } = artifactSql;
  const { insert: _insertAnswer, ...ofAnswers } = answerSql;
  const { insert: _insert, ...ofClients } = clientSql;

  const ofOwners = (['account_id', 'client_id'] as const).flatMap((column) =>
    Object.entries(ownerSql(column)).map(([name, sql]) => [`${name} by ${column}`, sql] as const),
  );

  const ofAnswersByName = Object.entries(ofAnswers).map(
    ([name, sql]) => [`${name} of answers`, sql] as const,
  );

  const { put: _put, ...ofLogos } = clientLogoSql;
  const ofLogosByName = Object.entries(ofLogos).map(([name, sql]) => [`${name} of logos`, sql] as const);

  it.each([
    ...Object.entries(ofArtifacts),
    ...ofAnswersByName,
    ...ofOwners,
    ...Object.entries(ofClients),
    ...ofLogosByName,
    ...Object.entries(tokenStatusSql),
  ])('%s', (_name, sql) => {
    const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/USING .*(INDEX|KEY)/));
    for (const { detail } of plan) expect(detail).not.toMatch(/SCAN (artifacts|client)|TEMP B-TREE/);
  });
});

describeWith('mongodb', 'every query of artifacts and clients uses an index on MongoDB', (url) => {
  const database = `keydesk_auth_queries_${randomUUID().slice(0, 8)}`;
  const now = new Date();
  const asked: { collection: string; filter: Record<string, unknown> }[] = [];
  let connection: Connection;
  let artifacts: ArtifactStore;
  let clients: ClientStore;
  let statuses: TokenStatusStore;

  beforeAll(async () => {
    await (await openMongoStorage({ url, database })).close();
    connection = await openMongo({ url, database });
    connection.set('debug', (collection: string, _method: string, filter: Record<string, unknown>) =>
      asked.push({ collection, filter }),
    );
    artifacts = createMongoArtifactStore(connection, createTransactions(connection));
    clients = createMongoClientStore(connection, createTransactions(connection));
    statuses = createMongoTokenStatusStore(connection);
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const owned = { ...client(), owner: 'account' };
  const calls: Record<string, () => Promise<unknown>> = {
    upsert: () => artifacts.upsert({ model: 'Session', key: 'key', payload: new Uint8Array() }),
    insertOnce: () => artifacts.insertOnce({ model: 'Jti', key: 'key', payload: new Uint8Array() }, now),
    find: () => artifacts.find('Session', 'key', now),
    findAnswer: () => artifacts.findAnswer('key', now),
    findByUid: () => artifacts.findByUid('uid', now),
    findByUserCode: () => artifacts.findByUserCode('code', now),
    findByAccount: () => artifacts.findByAccount('Grant', 'account', now),
    findByModel: () => artifacts.findByModel('Grant', now, 10),
    consume: () => artifacts.consume('Session', 'key', now),
    destroy: () => artifacts.destroy('Session', 'key'),
    destroyByGrant: () => artifacts.destroyByGrant('grant'),
    revokeGrant: () => artifacts.revokeGrant('grant', now),
    revokeAccount: () => artifacts.revokeAccount('account', now),
    revokeClient: () => artifacts.revokeClient('client', now),
    purgeExpired: () => artifacts.purgeExpired(now, 10),
    listOfOwner: () => clients.list({ owner: 'account', limit: 10 }),
    listOfCoOwner: () => clients.list({ coOwner: 'account', limit: 10 }),
    listResourceServers: () => clients.listResourceServers(),
    insertWithinLimit: () => clients.insertWithinLimit(owned, 0),
    replaceAndAdmit: () => clients.replaceAndAdmit(owned, 1, { account: 'account', limit: 0 }),
    listDisabled: () => clients.listDisabled(now),
    leaseStatuses: () => statuses.lease(),
    listRevokedStatuses: () => statuses.listRevoked(now),
    listStatusesOfClient: () => statuses.listOfClient('client'),
    listWithExpiredInvitations: () => clients.listWithExpiredInvitations(now, 10),
  };

  it.each(Object.entries(calls))('%s', async (_name, call) => {
    asked.length = 0;
    await call();
    expect(asked).not.toEqual([]);
    const withoutId = asked.filter(({ filter }) => Object.keys(filter)[0] !== '_id');
    for (const { collection, filter } of withoutId) {
      // The first member selects, the others only refine; the MongoDB stand-in plans for only one member.
      const selection = Object.fromEntries(Object.entries(filter).slice(0, 1));
      const plan = await connection.collection(collection).find(selection).explain('queryPlanner');
      expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('IXSCAN');
    }
  });
});
