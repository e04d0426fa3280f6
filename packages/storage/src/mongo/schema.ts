import type { Connection } from 'mongoose';
import { describeNewer } from '../schema-state.ts';

/** Migrates the documents of a database to one version. Repeatable, because a process may be killed in it. */
export type MongoStep = (connection: Connection) => Promise<void>;

/** Owner of a MongoDB database, the version of its documents, and the steps that lead to it. */
export interface MongoSchema {
  program: string;
  version: number;
  /**
   * Lowest version whose programs can use a database of this schema. Default: `version`, so that every older program
   * refuses it.
   */
  oldestReader?: number;
  /** Steps by the version that they lead to; versions without one change no documents. */
  steps?: Readonly<Record<number, MongoStep>>;
}

/** Schema marker, the only document of its collection. */
interface Marker {
  _id: 'schema';
  program: string;
  version: number;
  oldestReader?: number;
}

const byId = { _id: 'schema' } as const;

/**
 * Returns the version of a database; `undefined` for a database without documents, which is new.
 *
 * @throws {Error} when the database belongs to another program, has documents but no marker, or needs a newer program
 */
export async function readSchemaVersion(
  connection: Connection,
  schema: MongoSchema,
): Promise<number | undefined> {
  const found = await markersOf(connection).findOne(byId);
  if (found === null && (await isEmpty(connection))) return undefined;
  // Read again, because another process may have written the marker and documents in between.
  const current = found ?? (await markersOf(connection).findOne(byId));
  const fault = findFault(schema, current);
  if (fault !== undefined) throw new Error(`the database ${connection.name} ${fault}`);
  return current?.version;
}

/** Runs the steps from version `found`, or writes the marker of a new database. Never lowers a version. */
export async function migrateDocuments(
  connection: Connection,
  schema: MongoSchema,
  found: number | undefined,
): Promise<void> {
  const { program, version, oldestReader = version } = schema;
  const markers = markersOf(connection);
  if (found === undefined) {
    await markers.updateOne(byId, { $setOnInsert: { program, version, oldestReader } }, { upsert: true });
    return;
  }
  // First, so that no older process starts while a step contracts the schema.
  await markers.updateOne(byId, { $max: { oldestReader } });
  for (let next = found + 1; next <= version; next++) {
    await schema.steps?.[next]?.(connection);
    await markers.updateOne(byId, { $max: { version: next } });
  }
}

/** Returns a collection with acknowledged writes: see the options of `openMongo`. */
function markersOf(connection: Connection) {
  return connection.collection<Marker>('schema');
}

async function isEmpty(connection: Connection): Promise<boolean> {
  const collections = await connection.listCollections();
  for (const { name } of collections.filter((each) => !each.name.startsWith('system.'))) {
    if ((await connection.collection(name).findOne({})) !== null) return false;
  }
  return true;
}

function findFault({ program, version }: MongoSchema, found: Marker | null): string | undefined {
  if (found !== null && found.program !== program) return 'belongs to another program';
  if (found === null || found.version < 1)
    return 'was written by a Keydesk before 0.9; name another database in STORAGE_URL, and a new one is created';
  const { oldestReader = found.version } = found;
  if (found.version > version && oldestReader > version)
    return describeNewer({ version: found.version, oldestReader }, version);
  return undefined;
}
