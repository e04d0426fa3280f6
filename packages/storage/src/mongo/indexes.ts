import { type Connection, mongo } from 'mongoose';

/** A collection that has to exist, and its indexes besides that of ids. An index is changed by a new name. */
export interface MongoCollection {
  name: string;
  indexes: readonly mongo.IndexDescription[];
}

/** Missing parts of a collection. */
interface MissingIndexes extends MongoCollection {
  isMissing: boolean;
}

/** Creates what is missing of a list of collections. */
export async function createCollections(
  connection: Connection,
  collections: readonly MongoCollection[],
): Promise<void> {
  await createMissing(connection, await findMissing(connection, collections));
}

/** Lists the missing collections and indexes in one command, and one more for each existing collection. */
export async function findMissing(
  connection: Connection,
  collections: readonly MongoCollection[],
): Promise<MissingIndexes[]> {
  const existing = new Set((await connection.listCollections()).map(({ name }) => name));
  const missing: MissingIndexes[] = [];
  for (const { name, indexes } of collections) {
    const isMissing = !existing.has(name);
    const present = isMissing ? new Set() : await listIndexNames(connection, name);
    const absent = indexes.filter((index) => !present.has(toIndexName(index)));
    if (isMissing || absent.length > 0) missing.push({ name, indexes: absent, isMissing });
  }
  return missing;
}

/**
 * Creates collections and indexes, one at a time. MongoDB builds an index while other processes write and locks the
 * collection only at the beginning and the end. Existing ones are not an error: another process may have been faster.
 */
async function createMissing(connection: Connection, missing: readonly MissingIndexes[]): Promise<void> {
  for (const { name, indexes, isMissing } of missing) {
    if (isMissing) await createCollection(connection, name);
    for (const index of indexes) await connection.collection(name).createIndexes([index]);
  }
}

/** Describes what is missing, one phrase for each collection and index. */
export function describeMissing(missing: readonly MissingIndexes[]): string[] {
  return missing.flatMap(({ name, indexes, isMissing }) => [
    ...(isMissing ? [`collection ${name}`] : []),
    ...indexes.map((index) => `index ${toIndexName(index)} of ${name}`),
  ]);
}

/** Returns the name of an index; MongoDB derives a missing one from the key in this way. */
function toIndexName({ name, key }: mongo.IndexDescription): string {
  const entries = key instanceof Map ? [...key] : Object.entries(key);
  return name ?? entries.map(([path, order]) => `${path}_${order}`).join('_');
}

async function listIndexNames(connection: Connection, name: string): Promise<Set<unknown>> {
  try {
    return new Set((await connection.collection(name).listIndexes().toArray()).map((index) => index.name));
  } catch (err) {
    if (isServerError(err, NAMESPACE_NOT_FOUND)) return new Set();
    throw err;
  }
}

async function createCollection(connection: Connection, name: string): Promise<void> {
  try {
    await connection.createCollection(name);
  } catch (err) {
    if (!isServerError(err, NAMESPACE_EXISTS)) throw err;
  }
}

const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;

function isServerError(err: unknown, code: number): boolean {
  return err instanceof mongo.MongoServerError && err.code === code;
}
