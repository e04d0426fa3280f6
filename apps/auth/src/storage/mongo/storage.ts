import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import type { MongoCollection } from '@keydesk/storage/mongo-indexes';
import { createMongoLeases } from '@keydesk/storage/mongo-leases';
import { prepareMongo } from '@keydesk/storage/mongo-migration';
import type { MongoSchema } from '@keydesk/storage/mongo-schema';
import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import { createTransactions, isTimeLimit, type Transactions } from '@keydesk/storage/mongo-transactions';
import type { Connection, mongo } from 'mongoose';
import type { Storage } from '../storage.ts';
import { createMongoAccountTokenStore } from './accounts/account-tokens.ts';
import { createMongoAccountStore } from './accounts/accounts.ts';
import { createMongoCredentialStore } from './accounts/credentials.ts';
import { createMongoFactorStore } from './accounts/factors.ts';
import { createMongoIdentityStore } from './accounts/identities.ts';
import { createMongoArtifactStore } from './artifacts/artifacts.ts';
import { createMongoTokenStatusStore } from './artifacts/token-statuses.ts';
import { createMongoAuditStore } from './audit.ts';
import { createMongoClientStore } from './clients/clients.ts';
import { createMongoInitialAccessTokenStore } from './clients/initial-access-tokens.ts';
import { createMongoRegistrationStore } from './clients/registrations.ts';
import { createMongoKeyStore } from './keys.ts';
import { createMongoSecurityEventStore } from './security-events.ts';

/** Schema of the database: see decision 25. */
export const schema: MongoSchema = { program: 'keydesk-auth', version: 1 };

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

export interface MongoStorageOptions extends MongoOptions {
  /** Whether a missing database, and missing steps and indexes are created. Default: true. */
  canMigrate?: boolean;
}

/**
 * Opens the storage in its own MongoDB database, which is created or migrated if necessary.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function openMongoStorage(options: MongoStorageOptions): Promise<Storage> {
  const connection = await openMongo(options);
  const storage = createMongoStorage(connection);
  try {
    await prepareMongo(connection, { ...options, schema, collections: listCollections(connection) });
    return storage;
  } catch (err) {
    await connection.close();
    throw err;
  }
}

/** Creates the stores, and thereby the models of the connection. Sends nothing. */
export function createMongoStorage(connection: Connection): Storage {
  const transactions = createTransactions(connection);
  const guarded = createGuard(transactions);
  return {
    accounts: guarded(createMongoAccountStore(connection)),
    accountTokens: guarded(createMongoAccountTokenStore(connection, transactions)),
    artifacts: guarded(createMongoArtifactStore(connection, transactions)),
    audit: guarded(createMongoAuditStore(connection)),
    clients: guarded(createMongoClientStore(connection, transactions)),
    credentials: guarded(createMongoCredentialStore(connection, transactions)),
    factors: guarded(createMongoFactorStore(connection)),
    identities: guarded(createMongoIdentityStore(connection)),
    initialAccessTokens: guarded(createMongoInitialAccessTokenStore(connection)),
    keys: guarded(createMongoKeyStore(connection)),
    leases: createMongoLeases(connection),
    registrations: guarded(createMongoRegistrationStore(connection)),
    securityEvents: guarded(createMongoSecurityEventStore(connection, transactions)),
    tokenStatuses: guarded(createMongoTokenStatusStore(connection)),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}

/** Lists the collections of the models with their indexes. */
export function listCollections(connection: Connection): MongoCollection[] {
  const ofModels = Object.values(connection.models).map((model) => ({
    name: model.collection.name,
    indexes: model.schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription),
  }));
  return [...ofModels, { name: sessionCollection, indexes: sessionIndexes }];
}

/**
 * Wraps methods to reject with `unavailable` on driver errors. A write that exceeded its time limit ends the
 * transactions of dead processes, so that its retry succeeds.
 */
function createGuard({ endStalled }: Transactions) {
  async function endStalledTransactions(err: unknown): Promise<never> {
    if (isTimeLimit(err)) await endStalled();
    throw err;
  }
  return function guarded<T extends Pick<Methods, string & keyof T>>(methods: T): T {
    const entries = Object.entries<Methods[string]>(methods).map(([name, method]) => [
      name,
      (...args: never[]) => guardMongo(() => method(...args).catch(endStalledTransactions)),
    ]);
    return Object.fromEntries(entries);
  };
}
