import { guardMongo, type MongoOptions, openMongo } from '@keydesk/storage/mongo';
import { sessionCollection, sessionIndexes } from '@keydesk/storage/mongo-sessions';
import { createTransactions, isTimeLimit, type Transactions } from '@keydesk/storage/mongo-transactions';
import type { Connection } from 'mongoose';
import type { Storage } from '../storage.ts';
import { createMongoAccountTokenStore } from './account-tokens.ts';
import { createMongoAccountStore } from './accounts.ts';
import { createMongoArtifactStore } from './artifacts.ts';
import { createMongoAuditStore } from './audit.ts';
import { createMongoClientStore } from './clients.ts';
import { createMongoInitialAccessTokenStore } from './initial-access-tokens.ts';
import { createMongoKeyStore } from './keys.ts';
import { createMongoRegistrationStore } from './registrations.ts';

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Opens the authorization server's storage in a MongoDB database of its own and makes the indexes that are missing.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used.
 */
export async function openMongoStorage(options: MongoOptions): Promise<Storage> {
  const connection = await openMongo(options);
  const transactions = createTransactions(connection);
  const guarded = createGuard(transactions);
  const storage = {
    accounts: guarded(createMongoAccountStore(connection)),
    accountTokens: guarded(createMongoAccountTokenStore(connection)),
    artifacts: guarded(createMongoArtifactStore(connection, transactions)),
    audit: guarded(createMongoAuditStore(connection)),
    clients: guarded(createMongoClientStore(connection, transactions)),
    initialAccessTokens: guarded(createMongoInitialAccessTokenStore(connection)),
    keys: guarded(createMongoKeyStore(connection)),
    registrations: guarded(createMongoRegistrationStore(connection)),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
  await createIndexes(connection);
  return storage;
}

/** The migration step: indexes that exist already are left alone, so every process may run it at every start. */
async function createIndexes(connection: Connection): Promise<void> {
  try {
    for (const model of Object.values(connection.models)) await model.createIndexes();
    await connection.collection(sessionCollection).createIndexes([...sessionIndexes]);
  } catch (cause) {
    await connection.close();
    throw new Error('The indexes of the MongoDB database cannot be made.', { cause });
  }
}

/**
 * Returns the same methods, with driver errors as `unavailable`. A write that waited in vain ends what dead processes
 * hold, so that its retry passes.
 */
function createGuard({ endStalled }: Transactions) {
  async function endHolders(err: unknown): Promise<never> {
    if (isTimeLimit(err)) await endStalled();
    throw err;
  }
  return function guarded<T extends Pick<Methods, string & keyof T>>(methods: T): T {
    const entries = Object.entries<Methods[string]>(methods).map(([name, method]) => [
      name,
      (...args: never[]) => guardMongo(() => method(...args).catch(endHolders)),
    ]);
    return Object.fromEntries(entries);
  };
}
