import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import type { Storage } from '../../helpdesk/storage.ts';
import { createChangeStore } from './changes.ts';
import { createDefinitionStore } from './definitions.ts';
import { createErasureStore } from './erasure.ts';
import { createEventStore } from './events.ts';
import { createFieldStore } from './fields.ts';
import { createPersonStore } from './people.ts';
import { createReplyStore } from './replies.ts';
import { createRoleStore } from './roles.ts';
import { createCollections, createModels, schema } from './schema.ts';
import { createTagStore } from './tags.ts';
import { createTicketStore } from './tickets.ts';

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
  const connection = await openMongo({ ...options, schema });
  const models = createModels(connection);
  try {
    await createCollections(models);
  } catch (err) {
    await connection.close();
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`The MongoDB indexes cannot be created: ${reason}`, { cause: err });
  }
  return {
    tickets: createTicketStore(models, { now }),
    replies: createReplyStore(models),
    events: createEventStore(models),
    changes: createChangeStore(models),
    people: createPersonStore(models),
    erasure: createErasureStore(models),
    fields: createFieldStore(models),
    definitions: createDefinitionStore(models),
    roles: createRoleStore(models),
    tags: createTagStore(models),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}
