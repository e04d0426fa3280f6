import { type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import { createMongoMigration } from '@keydesk/storage/mongo-migration';
import type { SchemaMigration } from '@keydesk/storage/schema-state';
import { createMongoStorage, listCollections, schema } from './storage.ts';

/**
 * Creates the migration of the MongoDB database.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function createMigration(options: MongoOptions): Promise<SchemaMigration> {
  const connection = await openMongo(options);
  createMongoStorage(connection);
  const collections = listCollections(connection);
  await connection.close();
  return createMongoMigration({ ...options, schema, collections });
}
