export {
  boundedCommit,
  guardMongo,
  isDuplicateKey,
  type MongoOptions,
  openMongo,
  QUERY_LIMIT_MS,
} from './mongo.ts';
export { openSqlite, type Sqlite, type SqliteOptions } from './sqlite.ts';
