import { AppError } from '@keydesk/errors';
import { type Connection, createConnection, MongooseError, mongo, type Schema } from 'mongoose';
import { createStorageFullError } from './storage-full.ts';

/** Server and database name. */
export interface MongoOptions {
  /** `mongodb://` or `mongodb+srv://` URL of a replica set (one node is enough) or a sharded cluster. */
  url: string;
  /** Database of the app. */
  database: string;
  /** Whether a command that takes longer than 10 seconds fails. Default: true. Migrations take longer. */
  hasSocketTimeout?: boolean;
}

const SERVER_SELECTION_MS = 3_000;
/**
 * Heartbeat interval. A hanging server is detected after this and `CONNECT_TIMEOUT_MS`; its operations then fail.
 */
const HEARTBEAT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
const SOCKET_TIMEOUT_MS = 10_000;
/** Server-side time limit of a query, update or deletion. Pass it to bulk writes and native collections. */
export const QUERY_LIMIT_MS = 2_000;
/**
 * Server-side time limit of a commit in a transaction. Without a majority no commit is acknowledged, and
 * the driver would retry for two minutes.
 */
export const boundedCommit = { maxCommitTimeMS: 5_000 };

/**
 * Connects to MongoDB with majority-acknowledged, journaled writes and short time-outs, and checks its support for
 * transactions.
 *
 * @throws {Error} with a one-line message when the server is unreachable or standalone
 */
export async function openMongo({
  url,
  database,
  hasSocketTimeout = true,
}: MongoOptions): Promise<Connection> {
  const connection = createConnection(url, {
    dbName: database,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    sanitizeFilter: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: hasSocketTimeout ? SOCKET_TIMEOUT_MS : 0,
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

/** Limits the time of writes, which other transactions may block. Mongoose applies `maxTimeMS` to reads only. */
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
 * @throws {AppError} `unavailable` with the driver's error as cause when MongoDB fails. Programming errors, such as a
 *   value of the wrong type, and duplicate keys propagate unchanged.
 */
export async function guardMongo<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (err) {
    if (!isFailureOfMongo(err)) throw err;
    if (err instanceof mongo.MongoServerError && err.code === OUT_OF_DISK_SPACE)
      throw createStorageFullError(err);
    throw new AppError('unavailable', 'The database is temporarily unavailable; retry shortly.', {
      retryAfterSeconds: 1,
      cause: err,
    });
  }
}

const OUT_OF_DISK_SPACE = 14_031;

/** Mongoose errors of the connection; its errors about data are subclasses with other names. */
const connectionErrors: readonly string[] = ['MongooseError', 'MongooseServerSelectionError'];

/** Socket errors, which the driver propagates when the server has closed the connection. */
const socketErrors: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED'];

function isFailureOfMongo(err: unknown): boolean {
  if (err instanceof Error && 'code' in err && socketErrors.includes(err.code)) return true;
  if (err instanceof MongooseError) return connectionErrors.includes(err.name);
  return err instanceof mongo.MongoError && !isDuplicateKey(err);
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index rejected the write: any index, or the one with this name. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  if (!(err instanceof mongo.MongoServerError) || err.code !== DUPLICATE_KEY) return false;
  return index === undefined || err.message.includes(` index: ${index} dup key`);
}
