import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import type { Model, mongo } from 'mongoose';
import { changeIndexes } from './change-model.ts';
import { definitionIndexes } from './definition-model.ts';
import { eventIndexes } from './event-model.ts';
import { fieldIndexes } from './field-model.ts';
import { obsoleteIndexNames, ticketIndexes } from './indexes.ts';
import { migratePeople } from './migrate-tickets.ts';
import type { MongoModels } from './models.ts';
import { personIndexes } from './person-model.ts';
import { obsoleteReplyIndexNames, replyIndexes } from './reply-model.ts';
import { requestRecordIndexes } from './request-records.ts';
import { tagIndexes } from './tag-model.ts';
import { textIndexes } from './text-model.ts';

/** Creates missing collections and indexes; every process may run it at every start. */
export async function createCollections(models: MongoModels): Promise<void> {
  await dropIndexesOf(models.tickets, ['requester.email', 'assignee.email']);
  await dropIndexesOf(models.people, ['email']);
  await migratePeople(models.people);
  await createIndexes(models.tickets, ticketIndexes);
  await createIndexes(models.replies, replyIndexes);
  await createIndexes(models.texts, textIndexes);
  await createIndexes(models.events, eventIndexes);
  await createIndexes(models.changes, changeIndexes);
  await createIndexes(models.people, personIndexes);
  await createIndexes(models.fields, fieldIndexes);
  await createIndexes(models.definitions, definitionIndexes);
  await createIndexes(models.tags, tagIndexes);
  await createIndexes(models.records, requestRecordIndexes);
  await models.records.db.collection(sessionCollection).createIndexes([...sessionIndexes]);
  // They only have the index of ids; created here so that the first transactions need not race to create them.
  await models.feeds.createCollection();
  await models.additionGate.createCollection();
  await models.roles.createCollection();
  await models.retiredIds.createCollection();
}

async function createIndexes<Document>(
  { collection }: Model<Document>,
  indexes: readonly mongo.IndexDescription[],
): Promise<void> {
  // One at a time: each may take long on a large collection, and a command must not outlast the socket timeout.
  for (const index of indexes) await collection.createIndexes([index]);
}

const INDEX_NOT_FOUND = 27;

/** Drops indexes that are no longer used. */
export async function dropObsoleteIndexes({ tickets, replies }: MongoModels): Promise<void> {
  await dropIndexes(tickets, obsoleteIndexNames);
  await dropIndexes(replies, obsoleteReplyIndexNames);
}

async function dropIndexes<Document>(
  { collection }: Model<Document>,
  earlierNames: readonly string[],
): Promise<void> {
  const names = (await collection.indexes()).map(({ name }) => name);
  for (const name of earlierNames) if (names.includes(name)) await dropIndex(collection, name);
}

/** Drops indexes with one of these paths, because new ones have the same names. */
async function dropIndexesOf<Document>(
  { collection }: Model<Document>,
  paths: readonly string[],
): Promise<void> {
  const indexes = await collection.indexes().catch(() => []);
  for (const { name, key } of indexes) {
    if (name && paths.some((path) => path in key)) await dropIndex(collection, name);
  }
}

/** Drops an index, unless another process has dropped it. */
async function dropIndex(collection: Pick<mongo.Collection, 'dropIndex'>, name: string): Promise<void> {
  await collection.dropIndex(name).catch((err: { code?: unknown }) => {
    if (err.code !== INDEX_NOT_FOUND) throw err;
  });
}
