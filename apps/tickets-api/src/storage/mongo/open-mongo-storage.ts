import { randomUUID } from 'node:crypto';
import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import type { Storage } from '../../helpdesk/storage.ts';
import { categorizeTickets } from './categorize-tickets.ts';
import { createCollections, dropObsoleteIndexes } from './collections.ts';
import { countConversations } from './count-conversations.ts';
import { createFeedWriter } from './feed-writer.ts';
import { fillTexts } from './fill-texts.ts';
import { keyNames } from './key-names.ts';
import { markStaff } from './mark-staff.ts';
import { migrateTickets } from './migrate-tickets.ts';
import { createModels } from './models.ts';
import { createMongoChangeStore } from './mongo-change-store.ts';
import { createMongoDefinitionStore } from './mongo-definition-store.ts';
import { createMongoErasureStore } from './mongo-erasure-store.ts';
import { createMongoEventStore } from './mongo-event-store.ts';
import { createMongoFieldStore } from './mongo-field-store.ts';
import { createMongoPersonStore } from './mongo-person-store.ts';
import { createMongoReplyStore } from './mongo-reply-store.ts';
import { createMongoRoleStore } from './mongo-role-store.ts';
import { countEarlierTags, createMongoTagStore } from './mongo-tag-store.ts';
import { createMongoTicketStore } from './mongo-ticket-store.ts';
import { createTicketWriter } from './ticket-writer.ts';

export interface MongoStorageOptions extends MongoOptions {
  now?: () => Date;
}

/**
 * Opens the MongoDB database of the API, creates missing indexes and runs migrations.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function openMongoStorage({
  now = () => new Date(),
  ...options
}: MongoStorageOptions): Promise<Storage> {
  const connection = await openMongo(options);
  const models = createModels(connection);
  const people = createMongoPersonStore(models);
  const writeFeeds = createFeedWriter(models, now);
  try {
    await createCollections(models);
    await migrateTickets({ models, people, writeFeeds, newId: randomUUID });
    await categorizeTickets(models);
    await markStaff(models);
    await keyNames(models);
    await fillTexts(models);
    await countConversations(models);
    await countEarlierTags(models);
    await dropObsoleteIndexes(models);
  } catch (err) {
    await connection.close();
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`The database cannot be migrated: ${reason}`, { cause: err });
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
