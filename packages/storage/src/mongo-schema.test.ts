import { randomUUID } from 'node:crypto';
import { describeWith } from '@keydesk/testing';
import { type Connection, createConnection } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMongo } from './mongo.ts';

const schema = { program: 'notes', version: 2 };

describeWith('mongodb', 'the schema marker of a MongoDB database', (url) => {
  let connection: Connection;

  beforeEach(async () => {
    const dbName = `storage-${randomUUID().slice(0, 8)}`;
    connection = await createConnection(url, { dbName }).asPromise();
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  async function open(given = schema): Promise<void> {
    const opened = await openMongo({ url, database: connection.name, schema: given });
    await opened.close();
  }
  const insertNote = () => connection.collection('notes').insertOne({ text: 'kept' });

  it('is written once into a new database, which stays usable with documents', async () => {
    await connection.createCollection('notes');
    await Promise.all(Array.from({ length: 5 }, () => open()));
    await insertNote();
    await open();
    expect(await connection.collection('schema').find().toArray()).toEqual([{ _id: 'schema', ...schema }]);
  });

  describe('refuses a database', () => {
    it('with documents but no marker, and leaves it unchanged', async () => {
      await insertNote();
      await expect(open()).rejects.toThrow(
        `the database ${connection.name} was written by a Keydesk before 0.9; name another database in STORAGE_URL`,
      );
      expect(await connection.collection('schema').countDocuments()).toBe(0);
    });

    it.each([
      ['of an older schema', { ...schema, version: 1 }, 'was written by a Keydesk before 0.9'],
      [
        'of a newer schema',
        { ...schema, version: 3 },
        'was written by a newer Keydesk (schema 3; this version supports up to 2)',
      ],
      ['of another program', { ...schema, program: 'letters' }, 'belongs to another program'],
    ])('%s', async (_, stored, reason) => {
      await open(stored);
      await expect(open()).rejects.toThrow(
        `MongoDB cannot be used: the database ${connection.name} ${reason}`,
      );
    });
  });
});
