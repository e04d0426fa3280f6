import { AppError } from '@keydesk/errors';
import { type Connection, createConnection, MongooseError, mongo, type Schema } from 'mongoose';
import { storageFull } from './storage-full.ts';

/** Which database, and how long it may take to answer. */
export interface MongoOptions {
  /** `mongodb://…` or `mongodb+srv://…`, of a replica set (one node is enough) or a sharded cluster. */
  url: string;
  /** Each app owns a database of its own. */
  database: string;
}

const SERVER_SELECTION_MS = 3_000;
/** A server that stands still is found out after both of these; all that waits for it then fails at once. */
const HEARTBEAT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
const SOCKET_TIMEOUT_MS = 10_000;
/** Bound of one query, update or deletion on the server; bulk writes and native collections have to be given it. */
export const QUERY_LIMIT_MS = 2_000;
/**
 * To be given to the transactions of requests: bounds a commit on the server. While a majority is away none is
 * acknowledged, and without it the driver tries for two minutes.
 */
export const boundedCommit = { maxCommitTimeMS: 5_000 };

/**
 * Connects to MongoDB with majority-acknowledged, journaled writes and short time-outs, and checks that it can run
 * transactions.
 *
 * @throws {Error} with one readable message when it cannot be reached or is a standalone server.
 */
export async function openMongo({ url, database }: MongoOptions): Promise<Connection> {
  const connection = createConnection(url, {
    dbName: database,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    sanitizeFilter: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  });
  try {
    await connection.asPromise();
    await requireTransactions(connection);
    connection.set('maxTimeMS', QUERY_LIMIT_MS);
    connection.plugin(boundWrites);
    return connection;
  } catch (err) {
    await connection.close();
    throw new Error(`MongoDB cannot be used: ${err instanceof Error ? err.message : String(err)}`, {
      cause: err,
    });
  }
}

const writes = [
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndReplace',
  'findOneAndDelete',
] as const;

/** Mongoose gives the connection's `maxTimeMS` to reads only. A write waits for what another transaction holds. */
function boundWrites(schema: Schema): void {
  schema.pre([...writes], { query: true, document: false }, function boundTime() {
    this.setOptions({ maxTimeMS: QUERY_LIMIT_MS, ...this.getOptions() });
  });
}

async function requireTransactions(connection: Connection): Promise<void> {
  const hello = await connection.db?.command({ hello: 1 });
  if (hello?.setName === undefined && hello?.msg !== 'isdbgrid') {
    throw new Error(
      'it is a standalone server; transactions need a replica set (one node is enough: --replSet)',
    );
  }
}

/**
 * Runs a storage operation.
 *
 * @throws {AppError} `unavailable`, with the driver's error as its cause, when MongoDB fails. What is a bug, such as a
 *   value of the wrong type, or the domain's to decide, such as a duplicate key, stays as it is.
 */
export async function guardMongo<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (err) {
    if (!isFailureOfMongo(err)) throw err;
    if (err instanceof mongo.MongoServerError && err.code === OUT_OF_DISK_SPACE) throw storageFull(err);
    throw new AppError('unavailable', 'The database cannot answer right now; try again shortly.', {
      headers: { 'Retry-After': '1' },
      cause: err,
    });
  }
}

const OUT_OF_DISK_SPACE = 14_031;

/** Mongoose's errors about data are subclasses with names of their own. */
const connectionErrors: readonly string[] = ['MongooseError', 'MongooseServerSelectionError'];

/** The driver hands on what a socket throws when it is written to after the server has hung up. */
const socketErrors: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED'];

function isFailureOfMongo(err: unknown): boolean {
  if (err instanceof Error && 'code' in err && socketErrors.includes(err.code)) return true;
  if (err instanceof MongooseError) return connectionErrors.includes(err.name);
  return err instanceof mongo.MongoError && !isDuplicateKey(err);
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused the write: any, or the one of this name. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  if (!(err instanceof mongo.MongoServerError) || err.code !== DUPLICATE_KEY) return false;
  return index === undefined || err.message.includes(` index: ${index} dup key`);
}
