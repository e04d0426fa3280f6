import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import { createMongoLeases } from '@keydesk/storage/mongo-leases';
import { prepareMongo } from '@keydesk/storage/mongo-migration';
import type { Storage } from '../../helpdesk/storage.ts';
import { createDefinitionStore } from './catalogues/definitions.ts';
import { createFieldStore } from './catalogues/fields.ts';
import { createRoleStore } from './catalogues/roles.ts';
import { createEventStore } from './commit/events.ts';
import { createChangeStore } from './feed/changes.ts';
import { createErasureStore } from './people/erasure.ts';
import { createPersonStore } from './people/people.ts';
import { createModels, listCollections, schema } from './schema.ts';
import { createReplyStore } from './tickets/replies.ts';
import { createTagStore } from './tickets/tags.ts';
import { createTicketStore } from './tickets/tickets.ts';

export interface MongoStorageOptions extends MongoOptions {
  /** Whether a missing database, and missing steps and indexes are created. Default: true. */
  canMigrate?: boolean;
  now?: () => Date;
}

/**
 * Opens the MongoDB database of the API, which is created or migrated if necessary.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function openMongoStorage({
  now = () => new Date(),
  ...options
}: MongoStorageOptions): Promise<Storage> {
  const connection = await openMongo(options);
  const models = createModels(connection);
  try {
    await prepareMongo(connection, { ...options, schema, collections: listCollections(models) });
  } catch (err) {
    await connection.close();
    throw err;
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
    leases: createMongoLeases(connection),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}
