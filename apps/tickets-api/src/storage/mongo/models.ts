import type { Connection } from 'mongoose';
import { createAdditionGateModel } from './addition-gate.ts';
import { createChangeModel, createFeedModel } from './change-model.ts';
import { createDefinitionModel } from './definition-model.ts';
import { createEventModel } from './event-model.ts';
import { createFieldModel } from './field-model.ts';
import { createPersonModel } from './person-model.ts';
import { createReplyModel } from './reply-model.ts';
import { createRequestRecordModel, createRetiredIdModel } from './request-records.ts';
import { createRoleModel } from './role-model.ts';
import { createTagModel } from './tag-model.ts';
import { createTextModel } from './text-model.ts';
import { createTicketModel } from './ticket-model.ts';

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
