import { DatabaseSync } from 'node:sqlite';
import { describeWith } from '@keydesk/testing';
import { createConnection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { openStorage } from './open-storage.ts';
import { migrations } from './sqlite/migrations.ts';
import { createMongoDatabase, createSqliteDatabase } from './test-database.fixture.ts';

/** A client as stored by the first version of the server. */
const first = (id: string, owner: string | null) => ({
  name: 'Importer',
  type: 'machine',
  owner,
  redirectUris: [],
  scopes: ['tickets:read'],
  grantTypes: ['client_credentials'],
  authMethod: 'client_secret_basic',
  jwks: null,
  role: null,
  secrets: [],
  status: 'active',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  version: 1,
  id,
});
const withRetiredScope = { ...first('webhooks', null), scopes: ['tickets:read', 'webhooks:manage'] };
const earlier = [first('own', null), first('registered', 'account'), withRetiredScope];

/** The operator's own clients count as verified; no other client does. */
const expected = [
  {
    id: 'own',
    coOwners: [],
    invitations: [],
    homePage: null,
    policyUri: null,
    tosUri: null,
    logoDigest: null,
    isVerified: true,
    postLogoutRedirectUris: [],
    initiateLoginUri: null,
  },
  {
    id: 'registered',
    homePage: null,
    policyUri: null,
    tosUri: null,
    logoDigest: null,
    isVerified: false,
    postLogoutRedirectUris: [],
    initiateLoginUri: null,
  },
  { id: 'webhooks', scopes: ['tickets:read'] },
];

describe('clients of an earlier version', () => {
  it('are read from SQLite with their owners', async () => {
    const database = await createSqliteDatabase();
    const path = database.location.url.slice('sqlite:'.length);
    const sqlite = new DatabaseSync(path);
    sqlite.exec(`${migrations[0]}; PRAGMA user_version = 1; PRAGMA application_id = 0x4b444155`);
    const insert = sqlite.prepare('INSERT INTO clients VALUES (?, ?, ?)');
    for (const client of earlier) insert.run(client.id, 1, JSON.stringify(client));
    sqlite.close();

    const storage = await openStorage(database.location);
    expect(await storage.clients.list({ limit: 10 })).toMatchObject(expected);
    expect(await storage.clients.list({ owner: 'account', limit: 10 })).toMatchObject([expected[1]]);
    await storage.close();
    await database.drop();
  });
});

describeWith('mongodb', 'clients of an earlier version', (url) => {
  it('are read from MongoDB with their owners', async () => {
    const database = await createMongoDatabase(url);
    const connection = await createConnection(url, { dbName: database.location.database ?? '' }).asPromise();
    const documents = earlier.map(({ id, ...members }) => ({ _id: id as never, ...members }));
    await connection.collection('clients').insertMany(documents);
    await connection.close();

    const storage = await openStorage(database.location);
    expect(await storage.clients.list({ limit: 10 })).toMatchObject(expected);
    expect(await storage.clients.list({ owner: 'account', limit: 10 })).toMatchObject([expected[1]]);
    await storage.close();
    await database.drop();
  });
});
