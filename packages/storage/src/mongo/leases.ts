import type { Connection } from 'mongoose';
import type { Leases } from '../leases.ts';
import { guardMongo, isDuplicateKey, QUERY_LIMIT_MS } from './mongo.ts';

interface LeaseDocument {
  _id: string;
  holder: string;
  expiresAt: Date;
}

/** Creates the leases in a MongoDB database. */
export function createMongoLeases(connection: Connection): Leases {
  const leases = connection.collection<LeaseDocument>('leases');

  async function acquire(filter: object, holder: string, expiresAt: Date): Promise<boolean> {
    try {
      await leases.updateOne(
        filter,
        { $set: { holder, expiresAt } },
        { upsert: true, maxTimeMS: QUERY_LIMIT_MS },
      );
      return true;
    } catch (err) {
      // Another holder has the lease, so that the filter matches no document and the id exists.
      if (isDuplicateKey(err)) return false;
      throw err;
    }
  }

  return {
    acquire: ({ name, holder, now, expiresAt }) =>
      guardMongo(() =>
        acquire({ _id: name, $or: [{ holder }, { expiresAt: { $lte: now } }] }, holder, expiresAt),
      ),
    release: ({ name, holder }) =>
      guardMongo(async () => void (await leases.deleteOne({ _id: name, holder }))),
  };
}
