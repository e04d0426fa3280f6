import { DatabaseSync } from 'node:sqlite';
import { describeWith } from '@keydesk/testing';
import { createConnection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { accountStoreContract } from '../accounts/account/account-store.contract.ts';
import { accountTokenStoreContract } from '../accounts/account/account-token-store.contract.ts';
import { credentialStoreContract } from '../accounts/credentials/credential-store.contract.ts';
import { factorStoreContract } from '../accounts/factors/factor-store.contract.ts';
import { identityStoreContract } from '../accounts/identities/identity-store.contract.ts';
import { artifactStoreContract } from '../artifacts/artifact-store.contract.ts';
import { auditStoreContract } from '../audit/audit-store.contract.ts';
import { clientStoreContract } from '../clients/client-store.contract.ts';
import { clientLogoContract } from '../clients/logo/client-logo.contract.ts';
import { coOwnerContract } from '../clients/owners/co-owner.contract.ts';
import {
  initialAccessTokenStoreContract,
  registrationStoreContract,
} from '../clients/registration/registration-stores.contract.ts';
import { secretUseContract } from '../clients/secret-use.contract.ts';
import { keyStoreContract } from '../keys/key-store.contract.ts';
import { securityEventStoreContract } from '../security-events/security-event-store.contract.ts';
import { tokenStatusStoreContract } from '../token-status/token-status-store.contract.ts';
import { onEveryEngine, useStorage } from './engines.fixture.ts';
import { openStorage } from './open-storage.ts';
import { createMongoDatabase, createSqliteDatabase } from './test-database.fixture.ts';

onEveryEngine((engine) => {
  accountStoreContract(engine);
  accountTokenStoreContract(engine);
  artifactStoreContract(engine);
  auditStoreContract(engine);
  clientStoreContract(engine);
  credentialStoreContract(engine);
  factorStoreContract(engine);
  clientLogoContract(engine);
  coOwnerContract(engine);
  identityStoreContract(engine);
  initialAccessTokenStoreContract(engine);
  keyStoreContract(engine);
  registrationStoreContract(engine);
  secretUseContract(engine);
  securityEventStoreContract(engine);
  tokenStatusStoreContract(engine);

  describe('a storage', () => {
    const storage = useStorage(engine);

    it('responds to a ping', async () => {
      await expect(storage.get().ping()).resolves.toBeUndefined();
    });

    it('rejects a ping after it was closed', async () => {
      const closed = await openStorage(storage.database().location);
      await closed.close();
      await expect(closed.ping()).rejects.toThrow();
    });
  });
});

describe('opening a storage', () => {
  it('rejects the SQLite file of another program', async () => {
    const { location, drop } = await createSqliteDatabase();
    await (await openStorage(location)).close();
    const db = new DatabaseSync(toPath(location));
    db.exec(`PRAGMA application_id = ${0x4b_44_54_4b}`);
    db.close();
    await expect(openStorage(location)).rejects.toThrow('it belongs to another program');
    await drop();
  });

  it('rejects a SQLite file that predates 0.9', async () => {
    const { location, drop } = await createSqliteDatabase();
    await (await openStorage(location)).close();
    const db = new DatabaseSync(toPath(location));
    db.exec('PRAGMA user_version = 13');
    db.close();
    await expect(openStorage(location)).rejects.toThrow(
      `The database ${toPath(location)} cannot be used: it was written by a Keydesk before 0.9 (schema 13); move`,
    );
    await drop();
  });

  describeWith('mongodb', 'on MongoDB', (url) => {
    it('rejects a database with documents that predate 0.9, and one of the API', async () => {
      const { location, drop } = await createMongoDatabase(url);
      const connection = await createConnection(url, { dbName: location.database ?? '' }).asPromise();
      await connection.collection('clients').insertOne({ name: 'Importer' });
      await expect(openStorage(location)).rejects.toThrow(
        `MongoDB cannot be used: the database ${location.database} was written by a Keydesk before 0.9; name`,
      );
      await connection.dropDatabase();
      await (await openStorage(location)).close();
      await connection.collection('schema').updateOne({}, { $set: { program: 'keydesk-api' } });
      await expect(openStorage(location)).rejects.toThrow('belongs to another program');
      await connection.close();
      await drop();
    });
  });

  it.each(['', 'sqlite', 'sqlite:', 'postgres://user:hunter2@host/db', './data/auth.db'])(
    'rejects %j in one sentence that does not repeat it',
    async (url) => {
      await expect(openStorage({ url })).rejects.toThrow(/^The storage URL must be [^\n]*$/);
      await expect(openStorage({ url })).rejects.not.toThrow('hunter2');
    },
  );
});

function toPath({ url }: { url: string }): string {
  return url.slice('sqlite:'.length);
}
