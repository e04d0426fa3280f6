import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import type { Connection, Model, mongo } from 'mongoose';
import { createAdditionGateModel } from './addition-gate.ts';
import { changeIndexes, createChangeModel, createFeedModel } from './changes.ts';
import { createRequestRecordModel, requestRecordIndexes } from './commit-once.ts';
import { createDefinitionModel, definitionIndexes } from './definitions.ts';
import { createEventModel, eventIndexes } from './events.ts';
import { createFieldModel, fieldIndexes } from './fields.ts';
import { createPersonModel, personIndexes } from './people.ts';
import { createReplyModel, replyIndexes } from './replies.ts';
import { createRetiredIdModel } from './retired-ids.ts';
import { createRoleModel } from './roles.ts';
import { createTagModel, tagIndexes } from './tags.ts';
import { createTextModel, textIndexes } from './texts.ts';
import { createTicketModel } from './ticket-document.ts';
import { ticketIndexes } from './ticket-indexes.ts';

/** Schema of the database. A version that changes documents also migrates those of earlier versions since 0.9. */
export const schema = { program: 'keydesk-tickets', version: 1 } as const;

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

/** Models of all collections of the API. */
export type MongoModels = ReturnType<typeof createModels>;

export function createModels(connection: Connection) {
  return {
    tickets: createTicketModel(connection),
    replies: createReplyModel(connection),
    texts: createTextModel(connection),
    events: createEventModel(connection),
    changes: createChangeModel(connection),
    feeds: createFeedModel(connection),
    people: createPersonModel(connection),
    fields: createFieldModel(connection),
    definitions: createDefinitionModel(connection),
    roles: createRoleModel(connection),
    additionGate: createAdditionGateModel(connection),
    tags: createTagModel(connection),
    records: createRequestRecordModel(connection),
    retiredIds: createRetiredIdModel(connection),
  };
}
