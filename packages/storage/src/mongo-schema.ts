import type { Connection } from 'mongoose';

/** Owner of a MongoDB database, and the version of its documents. */
export interface MongoSchema {
  program: string;
  version: number;
}

const marker = { _id: 'schema' };

/**
 * Checks the schema marker of a database. A database without documents is new and gets the marker.
 *
 * @throws {Error} when the database belongs to another program, has no marker, or is older or newer than the schema
 */
export async function requireSchema(connection: Connection, schema: MongoSchema): Promise<void> {
  const markers = connection.collection<MongoSchema & typeof marker>('schema');
  const findMarker = () => markers.findOne(marker);
  const isNew = (await findMarker()) === null && (await isEmpty(connection));
  if (isNew) await markers.updateOne(marker, { $setOnInsert: schema }, { upsert: true });
  // Read again, because another process may have written the marker and documents in between.
  const fault = findFault(schema, await findMarker());
  if (fault !== undefined) throw new Error(`the database ${connection.name} ${fault}`);
}

async function isEmpty(connection: Connection): Promise<boolean> {
  const collections = await connection.listCollections();
  for (const { name } of collections.filter((each) => !each.name.startsWith('system.'))) {
    if ((await connection.collection(name).findOne({})) !== null) return false;
  }
  return true;
}

function findFault({ program, version }: MongoSchema, found: MongoSchema | null): string | undefined {
  if (found !== null && found.program !== program) return 'belongs to another program';
  if (found === null || found.version < version)
    return 'was written by a Keydesk before 0.9; name another database in STORAGE_URL, and a new one is created';
  if (found.version > version)
    return `was written by a newer Keydesk (schema ${found.version}; this version supports up to ${version})`;
  return undefined;
}
