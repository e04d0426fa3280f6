import { type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import { createMongoMigration } from '@keydesk/storage/mongo-migration';
import type { SchemaMigration } from '@keydesk/storage/schema-state';
import { createModels, listCollections, schema } from './schema.ts';

/**
 * Creates the migration of the MongoDB database.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function createMigration(options: MongoOptions): Promise<SchemaMigration> {
  const connection = await openMongo(options);
  const collections = listCollections(createModels(connection));
  await connection.close();
  return createMongoMigration({ ...options, schema, collections });
}
