import { randomUUID } from 'node:crypto';
import { describeWith } from '@keydesk/testing';
import { type Connection, createConnection } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMongoMigration, type MongoMigrationOptions, prepareMongo } from './migration.ts';
import type { MongoSchema } from './schema.ts';

const [one, two, three]: MongoSchema[] = [
  { program: 'notes', version: 1 },
  { program: 'notes', version: 2, oldestReader: 1, steps: { 2: addColours } },
  { program: 'notes', version: 3, oldestReader: 2 },
] as const;

async function addColours(connection: Connection): Promise<void> {
  const missing = { colour: { $exists: false } };
  await connection.collection('notes').updateMany(missing, { $set: { colour: 'grey' } });
}

describeWith('mongodb', 'the schema of a MongoDB database', (url) => {
  let connection: Connection;

  beforeEach(async () => {
    const dbName = `storage-${randomUUID().slice(0, 8)}`;
    connection = await createConnection(url, { dbName }).asPromise();
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const collections = [{ name: 'notes', indexes: [{ key: { text: 1 } as const }] }];
  const options = (schema = one): MongoMigrationOptions => ({
    url,
    database: connection.name,
    schema: schema as MongoSchema,
    collections,
  });
  const open = (schema = one, canMigrate = true) =>
    prepareMongo(connection, { ...options(schema), canMigrate });
  const insertNote = (text = 'kept') => connection.collection('notes').insertOne({ text });
  const listMarkers = () => connection.collection('schema').find().toArray();

  it('is recorded once in a new database with its indexes, which stays usable with documents', async () => {
    await connection.createCollection('notes');
    await Promise.all(Array.from({ length: 5 }, () => open()));
    await insertNote();
    await open();
    expect(await listMarkers()).toEqual([{ _id: 'schema', program: 'notes', version: 1, oldestReader: 1 }]);
    const indexes = await connection.collection('notes').listIndexes().toArray();
    expect(indexes.map(({ name }) => name)).toEqual(['_id_', 'text_1']);
  });

  it('lets two adjacent versions work side by side, until a contraction', async () => {
    await open(one);
    await insertNote();
    await open(two);
    expect(await connection.collection('notes').findOne()).toMatchObject({ colour: 'grey' });
    await open(one);
    expect(await listMarkers()).toMatchObject([{ version: 2, oldestReader: 1 }]);
    await open(three);
    await open(two);
    await expect(open(one)).rejects.toThrow(
      `the database ${connection.name} was written by a newer Keydesk (schema 3; programs need schema 2 or later`,
    );
  });

  it('is repeated from the failed step after a failure', async () => {
    await open(one);
    const faulty = {
      ...three,
      steps: { 2: addColours, 3: () => Promise.reject(new Error('no colours left')) },
    };
    await expect(open(faulty as MongoSchema)).rejects.toThrow(
      'The MongoDB database cannot be migrated: no colours left',
    );
    expect(await listMarkers()).toMatchObject([{ version: 2, oldestReader: 2 }]);
    await open(three);
    expect(await listMarkers()).toMatchObject([{ version: 3, oldestReader: 2 }]);
  });

  it('is inspected without a write, and migrated once', async () => {
    const { inspect, run } = createMongoMigration(options());
    const due = ['schema step 1', 'collection notes', 'index text_1 of notes'];
    expect(await inspect()).toEqual({ found: undefined, supported: 1, due, isExpansion: true });
    expect(await connection.listCollections()).toEqual([]);
    expect(await run()).toMatchObject({ found: undefined, due });
    expect(await run()).toMatchObject({ found: 1, due: [] });
    await connection.collection('notes').dropIndex('text_1');
    expect(await run()).toMatchObject({ found: 1, due: ['index text_1 of notes'] });
    expect(await createMongoMigration(options(three)).inspect()).toMatchObject({ isExpansion: false });
  });

  it('is refused while anything is due by a program that must not migrate', async () => {
    await expect(open(one, false)).rejects.toThrow(
      /^MongoDB cannot be used: it does not exist, .* MIGRATE_AT_START is false; run the command migrate first$/,
    );
    expect(await connection.listCollections()).toEqual([]);
    await open(one);
    await open(one, false);
    await connection.collection('notes').dropIndex('text_1');
    await expect(open(one, false)).rejects.toThrow('(index text_1 of notes missing)');
  });

  describe('refuses a database', () => {
    it('with documents but no marker, and leaves it unchanged', async () => {
      await insertNote();
      await expect(open()).rejects.toThrow(
        `MongoDB cannot be used: the database ${connection.name} was written by a Keydesk before 0.9; name another`,
      );
      expect(await listMarkers()).toEqual([]);
    });

    it('of another program', async () => {
      await open({ program: 'letters', version: 1 });
      await expect(open()).rejects.toThrow(
        `MongoDB cannot be used: the database ${connection.name} belongs to another program`,
      );
    });
  });
});
