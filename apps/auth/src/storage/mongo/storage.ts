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
import { createMongoFactorStore } from './factors.ts';
import { createMongoIdentityStore } from './identities.ts';
import { createMongoInitialAccessTokenStore } from './initial-access-tokens.ts';
import { createMongoKeyStore } from './keys.ts';
import { createMongoRegistrationStore } from './registrations.ts';
import { createMongoSecurityEventStore } from './security-events.ts';

/** Schema of the database. A version that changes documents also migrates those of earlier versions since 0.9. */
const SCHEMA = { program: 'keydesk-auth', version: 1 };

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Opens the storage in its own MongoDB database and creates missing indexes.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used
 */
export async function openMongoStorage(options: Omit<MongoOptions, 'schema'>): Promise<Storage> {
  const connection = await openMongo({ ...options, schema: SCHEMA });
  const transactions = createTransactions(connection);
  const guarded = createGuard(transactions);
  const storage = {
    accounts: guarded(createMongoAccountStore(connection)),
    accountTokens: guarded(createMongoAccountTokenStore(connection)),
    artifacts: guarded(createMongoArtifactStore(connection, transactions)),
    audit: guarded(createMongoAuditStore(connection)),
    clients: guarded(createMongoClientStore(connection, transactions)),
    factors: guarded(createMongoFactorStore(connection)),
    identities: guarded(createMongoIdentityStore(connection)),
    initialAccessTokens: guarded(createMongoInitialAccessTokenStore(connection)),
    keys: guarded(createMongoKeyStore(connection)),
    registrations: guarded(createMongoRegistrationStore(connection)),
    securityEvents: guarded(createMongoSecurityEventStore(connection, transactions)),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
  await createIndexes(connection);
  return storage;
}

/** Creates the indexes. Existing ones are kept, so every process may run it at every start. */
async function createIndexes(connection: Connection): Promise<void> {
  try {
    for (const model of Object.values(connection.models)) await model.createIndexes();
    await connection.collection(sessionCollection).createIndexes([...sessionIndexes]);
  } catch (cause) {
    await connection.close();
    throw new Error('The MongoDB indexes cannot be created.', { cause });
  }
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
