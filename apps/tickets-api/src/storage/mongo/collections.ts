import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import type { Model, mongo } from 'mongoose';
import { changeIndexes } from './change-model.ts';
import { definitionIndexes } from './definition-model.ts';
import { eventIndexes } from './event-model.ts';
import { fieldIndexes } from './field-model.ts';
import { ticketIndexes } from './indexes.ts';
import type { MongoModels } from './models.ts';
import { personIndexes } from './person-model.ts';
import { replyIndexes } from './reply-model.ts';
import { requestRecordIndexes } from './request-records.ts';
import { tagIndexes } from './tag-model.ts';
import { textIndexes } from './text-model.ts';

/** Creates missing collections and indexes; every process may run it at every start. */
export async function createCollections(models: MongoModels): Promise<void> {
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
