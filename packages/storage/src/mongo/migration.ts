import type { Connection } from 'mongoose';
import { describeDue, type SchemaMigration, type SchemaState } from '../schema-state.ts';
import { createCollections, describeMissing, findMissing, type MongoCollection } from './indexes.ts';
import { type MongoOptions, openMongo, toOpeningError } from './mongo.ts';
import { type MongoSchema, migrateDocuments, readSchemaVersion } from './schema.ts';

const REASON = 'MongoDB cannot be used';

/** Database with the documents and indexes that it needs. */
export interface MongoMigrationOptions extends MongoOptions {
  schema: MongoSchema;
  collections: readonly MongoCollection[];
}

/**
 * Migrates the database of an open connection if anything is due.
 *
 * @throws {Error} with one line when the database cannot be used, or something is due and `canMigrate` is false
 */
export async function prepareMongo(
  connection: Connection,
  { canMigrate = true, ...options }: MongoMigrationOptions & { canMigrate?: boolean | undefined },
): Promise<void> {
  const state = await explain(() => readState(connection, options));
  if (state.due.length === 0) return;
  if (!canMigrate) throw toOpeningError(REASON, new Error(describeDue(state)));
  await migrate(options, state);
}

/** Creates the migration of a MongoDB database, with its own connections. */
export function createMongoMigration(options: MongoMigrationOptions): SchemaMigration {
  async function inspect(): Promise<SchemaState> {
    const connection = await openMongo(options);
    try {
      return await explain(() => readState(connection, options));
    } finally {
      await connection.close();
    }
  }
  return {
    inspect,
    async run() {
      const before = await inspect();
      if (before.due.length > 0) await migrate(options, before);
      return before;
    },
  };
}

/** Migrates with a connection that waits: building an index of a large collection takes minutes. */
async function migrate(options: MongoMigrationOptions, { found }: SchemaState): Promise<void> {
  const connection = await openMongo({ ...options, hasSocketTimeout: false });
  try {
    await migrateDocuments(connection, options.schema, found);
    // A new database may have got the marker of another program in between.
    await explain(() => readSchemaVersion(connection, options.schema));
    await createCollections(connection, options.collections);
  } catch (err) {
    throw toOpeningError('The MongoDB database cannot be migrated', err);
  } finally {
    await connection.close();
  }
}

async function readState(
  connection: Connection,
  { schema, collections }: MongoMigrationOptions,
): Promise<SchemaState> {
  const { version: supported, oldestReader = supported } = schema;
  const found = await readSchemaVersion(connection, schema);
  const steps = Array.from({ length: Math.max(0, supported - (found ?? 0)) }, (_, i) => (found ?? 0) + i + 1);
  // Indexes of a later version may have other names.
  const missing = (found ?? 0) > supported ? [] : await findMissing(connection, collections);
  return {
    found,
    supported,
    due: [...steps.map((step) => `schema step ${step}`), ...describeMissing(missing)],
    isExpansion: oldestReader <= (found ?? supported),
  };
}

async function explain<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (err) {
    throw toOpeningError(REASON, err);
  }
}
