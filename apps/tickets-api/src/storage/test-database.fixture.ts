import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMongo } from '@keydesk/storage/mongo';
import { sessionCollection } from '@keydesk/storage/mongo-sessions';
import { withPatience } from '@keydesk/testing';
import { type Connection, createConnection } from 'mongoose';
import type { Storage } from '../helpdesk/storage.ts';
import { openStorage } from './open-storage.ts';

/** Database of one suite, which other processes can open too. */
export interface TestDatabase {
  storageUrl: string;
  /** Opens it, as another process would. */
  open(): Promise<Storage>;
  /** Returns all data of the engine as one text. */
  dump(): Promise<string>;
  drop(): Promise<void>;
}

/** Creates a SQLite file in its own folder. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-tickets-'));
  const storageUrl = `sqlite:${join(folder, 'tickets.db')}`;
  return {
    storageUrl,
    open: () => openStorage(storageUrl).then(withPatience),
    async dump() {
      const names = await readdir(folder);
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('\n');
    },
    drop: () => rm(folder, { recursive: true }),
  };
}

/** Creates a MongoDB database with a unique name on the server of `url`. */
export async function createMongoDatabase(url: string): Promise<TestDatabase> {
  const database = `tickets-${randomUUID().slice(0, 8)}`;
  const storageUrl = withDatabase(url, database);
  return {
    storageUrl,
    open: () => openStorage(storageUrl).then(withPatience),
    async dump() {
      const connection = await openMongo({ url, database });
      const texts: string[] = [];
      for (const { name } of (await connection.db?.listCollections().toArray()) ?? []) {
        texts.push(JSON.stringify(await connection.collection(name).find().toArray()));
      }
      await connection.close();
      return texts.join('\n');
    },
    async drop() {
      // With the default timeouts of the driver, because the stand-in server may be slow.
      const connection = await createConnection(url, { dbName: database }).asPromise();
      await endTransactions(connection);
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** Ends transactions of killed processes, which would block dropping the database. */
async function endTransactions(connection: Connection): Promise<void> {
  const sessions = await connection.collection(sessionCollection).find().toArray();
  if (sessions.length === 0) return;
  await connection.db?.command({ killSessions: sessions.map(({ _id }) => ({ id: _id })) });
}

/** Returns the URL of the same server with another database or, with `''`, none. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}
