import { DatabaseSync } from 'node:sqlite';
import { openMongo } from '@keydesk/storage/mongo';
import { createMongoMigration } from '@keydesk/storage/mongo-migration';
import { createSqliteMigration } from '@keydesk/storage/sqlite-migration';
import { toMongoDatabase, toSqlitePath } from '@keydesk/storage/url';
import type { Connection } from 'mongoose';
import { schema as authMongo } from '../../apps/auth/src/storage/mongo/storage.ts';
import { schema as authSqlite } from '../../apps/auth/src/storage/sqlite/migrations.ts';
import { schema as apiMongo } from '../../apps/tickets-api/src/storage/mongo/schema.ts';
import { schema as apiSqlite } from '../../apps/tickets-api/src/storage/sqlite/schema.ts';
import type { StorageUrls } from './deployment.ts';

/**
 * Expands both databases as a next version would, while servers run: each table gets a column, each document a member,
 * and the database a new table or collection with an index.
 */
export async function expandAsNextVersion({ auth, api }: StorageUrls): Promise<void> {
  for (const [url, sqlite, mongo] of [
    [auth, authSqlite, authMongo],
    [api, apiSqlite, apiMongo],
  ] as const) {
    const path = toSqlitePath(url);
    await (path === undefined ? expandMongo(url, mongo) : expandSqlite(path, sqlite));
  }
}

async function expandSqlite(path: string, schema: typeof authSqlite | typeof apiSqlite): Promise<void> {
  const { migrations, firstVersion } = schema;
  const step = `${listTables(path)
    .map((table) => `ALTER TABLE ${table} ADD COLUMN next_version TEXT DEFAULT 'next';`)
    .join('\n')}
    CREATE TABLE next_version (id TEXT PRIMARY KEY) STRICT;
    CREATE INDEX next_version_by_id ON next_version (id);`;
  const oldestReader = firstVersion + migrations.length;
  const next = { ...schema, migrations: [...migrations, step], oldestReader };
  await createSqliteMigration({ path, ...next }).run();
}

/** Lists the tables of the schema, without those of full-text search. */
function listTables(path: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
      .all();
    return tables.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  } finally {
    db.close();
  }
}

async function expandMongo(url: string, schema: typeof authMongo | typeof apiMongo): Promise<void> {
  const { version } = schema;
  const database = toMongoDatabase(url) ?? '';
  const next = {
    ...schema,
    version: version + 1,
    oldestReader: version,
    steps: { [version + 1]: addMembers },
  };
  const collections = [{ name: 'next_version', indexes: [{ key: { at: 1 } as const }] }];
  await createMongoMigration({ url, database, schema: next, collections }).run();
}

async function addMembers(connection: Connection): Promise<void> {
  for (const { name } of await connection.listCollections())
    await connection.collection(name).updateMany({}, { $set: { next_version: 'next' } });
}

/** Removes the databases of a run on MongoDB. */
export async function dropDatabases(urls: StorageUrls): Promise<void> {
  for (const url of Object.values(urls).filter((each) => toSqlitePath(each) === undefined)) {
    const connection = await openMongo({ url, database: toMongoDatabase(url) ?? '' });
    await connection.dropDatabase();
    await connection.close();
  }
}
