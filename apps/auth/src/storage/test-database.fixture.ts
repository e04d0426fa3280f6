import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, mongo } from 'mongoose';
import type { StorageLocation } from './open-storage.ts';

/** An empty database for one suite. */
export interface TestDatabase {
  location: StorageLocation;
  /** Returns everything the engine has written, as an attacker would find it. */
  dump(): Promise<Buffer>;
  drop(): Promise<void>;
}

export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-auth-'));
  const path = join(folder, 'auth.db');
  return {
    location: { url: `sqlite:${path}` },
    async dump() {
      return Buffer.concat(await Promise.all([readFile(path), readFile(`${path}-wal`)]));
    },
    drop: () => rm(folder, { recursive: true }),
  };
}

export async function createMongoDatabase(url: string): Promise<TestDatabase> {
  const database = `keydesk_auth_${randomUUID().slice(0, 8)}`;
  const connection = await createConnection(url, { dbName: database }).asPromise();
  return {
    location: { url, database },
    async dump() {
      const collections = (await connection.db?.collections()) ?? [];
      const contents = await Promise.all(collections.map((collection) => collection.find().toArray()));
      return Buffer.from(mongo.BSON.serialize({ contents }));
    },
    async drop() {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}
