import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import type { Model, mongo } from 'mongoose';
import { bringPeopleForward } from './bring-forward.ts';
import { changeIndexes } from './change-model.ts';
import { definitionIndexes } from './definition-model.ts';
import { eventIndexes } from './event-model.ts';
import { fieldIndexes } from './field-model.ts';
import { earlierIndexNames, ticketIndexes } from './indexes.ts';
import type { MongoModels } from './models.ts';
import { personIndexes } from './person-model.ts';
import { earlierReplyIndexNames, replyIndexes } from './reply-model.ts';
import { requestRecordIndexes } from './request-records.ts';
import { tagIndexes } from './tag-model.ts';
import { textIndexes } from './text-model.ts';

/** Makes the collections and indexes that are missing; every process may do so at every start. */
export async function createCollections(models: MongoModels): Promise<void> {
  await dropIndexesOf(models.tickets, ['requester.email', 'assignee.email']);
  await dropIndexesOf(models.people, ['email']);
  await bringPeopleForward(models.people);
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
  // They have no index but that of their ids; the first transactions need not race to make them.
  await models.feeds.createCollection();
  await models.additionGate.createCollection();
  await models.roles.createCollection();
  await models.retiredIds.createCollection();
}

async function createIndexes<Document>(
  { collection }: Model<Document>,
  indexes: readonly mongo.IndexDescription[],
): Promise<void> {
  // One at a time: on a large collection each takes a while, and one command must not outlast the socket.
  for (const index of indexes) await collection.createIndexes([index]);
}

const INDEX_NOT_FOUND = 27;

/** Drops the indexes that no list walks any longer. */
export async function dropEarlierIndexes({ tickets, replies }: MongoModels): Promise<void> {
  await dropIndexes(tickets, earlierIndexNames);
  await dropIndexes(replies, earlierReplyIndexNames);
}

async function dropIndexes<Document>(
  { collection }: Model<Document>,
  earlierNames: readonly string[],
): Promise<void> {
  const names = (await collection.indexes()).map(({ name }) => name);
  for (const name of earlierNames) if (names.includes(name)) await dropIndex(collection, name);
}

/** Drops the indexes that have one of these paths, because others of the same names take their places. */
async function dropIndexesOf<Document>(
  { collection }: Model<Document>,
  paths: readonly string[],
): Promise<void> {
  const indexes = await collection.indexes().catch(() => []);
  for (const { name, key } of indexes) {
    if (name && paths.some((path) => path in key)) await dropIndex(collection, name);
  }
}

/** Another process may have dropped it first. */
async function dropIndex(collection: Pick<mongo.Collection, 'dropIndex'>, name: string): Promise<void> {
  await collection.dropIndex(name).catch((err: { code?: unknown }) => {
    if (err.code !== INDEX_NOT_FOUND) throw err;
  });
}
