import type { MongoCollection } from '@keydesk/storage/mongo-indexes';
import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import type { Connection, Model, mongo } from 'mongoose';
import {
  createDefinitionMarkModel,
  createDefinitionModel,
  definitionIndexes,
} from './catalogues/definitions.ts';
import { createFieldModel, fieldIndexes } from './catalogues/fields.ts';
import { createRoleModel } from './catalogues/roles.ts';
import { createAdditionGateModel } from './commit/addition-gate.ts';
import { createRequestRecordModel, requestRecordIndexes } from './commit/commit-once.ts';
import { createEventModel, eventIndexes } from './commit/events.ts';
import { changeIndexes, createChangeModel, createFeedModel } from './feed/changes.ts';
import { createPersonModel, personIndexes } from './people/people.ts';
import { createReplyModel, replyIndexes } from './tickets/replies.ts';
import { createRetiredIdModel } from './tickets/retired-ids.ts';
import { createTagModel, createTagStepsModel, tagIndexes } from './tickets/tags.ts';
import { createTextModel, textIndexes } from './tickets/texts.ts';
import { createTicketModel } from './tickets/ticket-document.ts';
import { ticketIndexes } from './tickets/ticket-indexes.ts';

/** Schema of the database: see decision 25. */
export const schema = { program: 'keydesk-tickets', version: 1 } as const;

/** Lists the collections with their indexes. Those with no index exist so that transactions need not create them. */
export function listCollections(models: MongoModels): MongoCollection[] {
  const collection = <Document>({ collection: { name } }: Model<Document>, indexes: Indexes = []) => ({
    name,
    indexes,
  });
  return [
    collection(models.tickets, ticketIndexes),
    collection(models.replies, replyIndexes),
    collection(models.texts, textIndexes),
    collection(models.events, eventIndexes),
    collection(models.changes, changeIndexes),
    collection(models.people, personIndexes),
    collection(models.fields, fieldIndexes),
    collection(models.definitions, definitionIndexes),
    collection(models.tags, tagIndexes),
    collection(models.records, requestRecordIndexes),
    collection(models.feeds),
    collection(models.additionGate),
    collection(models.roles),
    collection(models.retiredIds),
    collection(models.tagSteps),
    collection(models.definitionMarks),
    { name: sessionCollection, indexes: sessionIndexes },
  ];
}

type Indexes = readonly mongo.IndexDescription[];

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
    definitionMarks: createDefinitionMarkModel(connection),
    roles: createRoleModel(connection),
    additionGate: createAdditionGateModel(connection),
    tags: createTagModel(connection),
    tagSteps: createTagStepsModel(connection),
    records: createRequestRecordModel(connection),
    retiredIds: createRetiredIdModel(connection),
  };
}
