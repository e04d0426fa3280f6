import { AppError } from '@keydesk/errors';
import { type Connection, createConnection, MongooseError, mongo, type Schema } from 'mongoose';
import { createUnwritableError } from '../unwritable.ts';

/** Server and database name. */
export interface MongoOptions {
  /** `mongodb://` or `mongodb+srv://` URL of a replica set (one node is enough) or a sharded cluster. */
  url: string;
  /** Database of the app. */
  database: string;
  /** Whether a command that takes longer than 10 seconds fails. Default: true. Migrations take longer. */
  hasSocketTimeout?: boolean;
}

/**
 * Connections of a process to each server. A command holds one only while it runs, a transaction between its commands
 * none: 50 are busy at 5,000 commands a second of 10 ms. The driver's default is 100.
 */
const MAX_POOL_SIZE = 50;
/** Limit of the wait for a free connection. The driver has none, so that a slow server delays requests without end. */
const WAIT_QUEUE_TIMEOUT_MS = 10_000;
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
 * @throws {AppError} `unavailable` with a one-line message when the server is unreachable
 * @throws {Error} with a one-line message when it is standalone or the URL weakens the guarantees
 */
export async function openMongo({
  url,
  database,
  hasSocketTimeout = true,
}: MongoOptions): Promise<Connection> {
  rejectWeakOptions(url);
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
    ...toPoolOptions(url),
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
    throw toOpeningError('MongoDB cannot be used', err);
  }
}

/**
 * URL options with their only permitted values. Others would lose acknowledged writes, or find a revoked token or a
 * used code as valid.
 */
const guarantees = {
  w: 'majority',
  journal: 'true',
  readPreference: 'primary',
  readConcernLevel: 'majority',
  retryReads: 'true',
  retryWrites: 'true',
};

function rejectWeakOptions(url: string): void {
  for (const [option, required] of Object.entries(guarantees)) {
    const [, value = required] = new RegExp(`[?&]${option}=([^&]*)`, 'i').exec(url) ?? [];
    if (value.toLowerCase() !== required)
      throw new Error(`MongoDB cannot be used: the URL sets ${option}; remove it (${required} applies)`);
  }
}

/** Returns the limits of the pool that the URL does not define; the driver would prefer these to the URL's. */
function toPoolOptions(url: string) {
  const isDefined = (option: string) => new RegExp(`[?&]${option}=`, 'i').test(url);
  return {
    ...(!isDefined('maxPoolSize') && { maxPoolSize: MAX_POOL_SIZE }),
    ...(!isDefined('waitQueueTimeoutMS') && { waitQueueTimeoutMS: WAIT_QUEUE_TIMEOUT_MS }),
  };
}

/** Creates the error of a database that cannot be opened: `unavailable` when its server cannot be reached. */
export function toOpeningError(what: string, cause: unknown): Error {
  const message = `${what}: ${cause instanceof Error ? cause.message : String(cause)}`;
  if (!isUnreachable(cause)) return new Error(message, { cause });
  return new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
}

function isUnreachable(err: unknown): boolean {
  if (err instanceof AppError) return err.code === 'unavailable';
  if (err instanceof mongo.MongoNetworkError || err instanceof mongo.MongoServerSelectionError) return true;
  return isOfConnection(err);
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

/** Limits the time of writes, which other transactions may block. Mongoose applies `maxTimeMS` only to reads. */
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
      throw createUnwritableError(err);
    throw new AppError('unavailable', 'The database is temporarily unavailable; retry shortly.', {
      retryAfterSeconds: 1,
      cause: err,
    });
  }
}

const OUT_OF_DISK_SPACE = 14_031;

/** Mongoose errors of the connection; its errors about data are subclasses with other names. */
const connectionErrors: readonly string[] = ['MongooseError', 'MongooseServerSelectionError'];

/**
 * Codes of system calls, streams, sockets and TLS, whose errors the driver propagates when a connection breaks while it
 * writes. Codes of invalid arguments differ (`ERR_INVALID_…`).
 */
const socketErrors = /^(E[A-Z]+|ABORT_ERR|ERR_(STREAM|SOCKET|SSL|TLS)_\w+)$/;

function isOfConnection(err: unknown): boolean {
  if (err instanceof Error && 'code' in err && socketErrors.test(String(err.code))) return true;
  return err instanceof MongooseError && connectionErrors.includes(err.name);
}

function isFailureOfMongo(err: unknown): boolean {
  return isOfConnection(err) || (err instanceof mongo.MongoError && !isDuplicateKey(err));
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index rejected the write: any index, or the one with this name. */
export function isDuplicateKey(err: unknown, index?: string): boolean {
  if (!(err instanceof mongo.MongoServerError) || err.code !== DUPLICATE_KEY) return false;
  return index === undefined || err.message.includes(` index: ${index} dup key`);
}
