import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import type { Storage } from '../../helpdesk/storage.ts';
import { createCollections } from './collections.ts';
import { createFeedWriter } from './feed-writer.ts';
import { createModels } from './models.ts';
import { createMongoChangeStore } from './mongo-change-store.ts';
import { createMongoDefinitionStore } from './mongo-definition-store.ts';
import { createMongoErasureStore } from './mongo-erasure-store.ts';
import { createMongoEventStore } from './mongo-event-store.ts';
import { createMongoFieldStore } from './mongo-field-store.ts';
import { createMongoPersonStore } from './mongo-person-store.ts';
import { createMongoReplyStore } from './mongo-reply-store.ts';
import { createMongoRoleStore } from './mongo-role-store.ts';
import { createMongoTagStore } from './mongo-tag-store.ts';
import { createMongoTicketStore } from './mongo-ticket-store.ts';
import { createTicketWriter } from './ticket-writer.ts';

/** Schema of the database. A version that changes documents also migrates those of earlier versions since 0.9. */
const SCHEMA = { program: 'keydesk-tickets', version: 1 };

export interface MongoStorageOptions extends Omit<MongoOptions, 'schema'> {
  now?: () => Date;
}

/**
 * Opens the MongoDB database of the API and creates missing collections and indexes.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function openMongoStorage({
  now = () => new Date(),
  ...options
}: MongoStorageOptions): Promise<Storage> {
  const connection = await openMongo({ ...options, schema: SCHEMA });
  const models = createModels(connection);
  const people = createMongoPersonStore(models);
  const writeFeeds = createFeedWriter(models, now);
  try {
    await createCollections(models);
  } catch (err) {
    await connection.close();
    throw new Error('The MongoDB indexes cannot be created.', { cause: err });
  }
  return {
    tickets: createMongoTicketStore(models, createTicketWriter({ models, writeFeeds })),
    replies: createMongoReplyStore(models.replies),
    events: createMongoEventStore(models.events),
    changes: createMongoChangeStore(models),
    people,
    erasure: createMongoErasureStore(models),
    fields: createMongoFieldStore(models),
    definitions: createMongoDefinitionStore(models),
    roles: createMongoRoleStore(models),
    tags: createMongoTagStore(models.tags),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}
