import { DatabaseSync } from 'node:sqlite';
import { describeWith } from '@keydesk/testing';
import { createConnection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { exampleAccount } from '../accounts/account.fixture.ts';
import { openStorage } from './open-storage.ts';
import { createMongoDatabase, createSqliteDatabase } from './test-database.fixture.ts';

/** An account as stored by versions without the credential epoch. */
const { credentialEpoch: _, ...earlier } = exampleAccount();

describe('accounts of an earlier version', () => {
  it('are read from SQLite with epoch 0', async () => {
    const database = await createSqliteDatabase();
    await (await openStorage(database.location)).close();
    const sqlite = new DatabaseSync(database.location.url.slice('sqlite:'.length));
    const { id, email, role, status, version } = earlier;
    sqlite
      .prepare('INSERT INTO accounts (id, email, role, status, version, document) VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, email, role, status, version, JSON.stringify(earlier));
    sqlite.close();

    const storage = await openStorage(database.location);
    expect(await storage.accounts.find(id)).toStrictEqual({ ...earlier, credentialEpoch: 0 });
    await storage.close();
    await database.drop();
  });
});

describeWith('mongodb', 'accounts of an earlier version', (url) => {
  it('are read from MongoDB with epoch 0', async () => {
    const database = await createMongoDatabase(url);
    const connection = await createConnection(url, { dbName: database.location.database ?? '' }).asPromise();
    const { id, ...members } = earlier;
    await connection.collection('accounts').insertOne({ _id: id as never, ...members });
    await connection.close();

    const storage = await openStorage(database.location);
    expect(await storage.accounts.find(id)).toStrictEqual({ ...earlier, credentialEpoch: 0 });
    await storage.close();
    await database.drop();
  });
});
