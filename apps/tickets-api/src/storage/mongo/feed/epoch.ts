import { randomBytes } from 'node:crypto';
import { QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import type { Connection } from 'mongoose';

/** Epoch of the database, stored as one document. */
export interface Epoch {
  read(): Promise<string>;
  renew(): Promise<void>;
}

const byId = { _id: 'epoch' };
const limited = { maxTimeMS: QUERY_LIMIT_MS } as const;

export function createEpoch(connection: Connection): Epoch {
  const collection = connection.collection<{ _id: string; epoch: string }>('database');
  const newEpoch = () => ({ epoch: randomBytes(5).toString('hex') });

  async function write(update: object): Promise<void> {
    await collection.updateOne(byId, update, { upsert: true, ...limited });
  }

  return {
    async read() {
      const stored = await collection.findOne(byId, limited);
      if (stored) return stored.epoch;
      await write({ $setOnInsert: newEpoch() });
      return this.read();
    },
    renew: () => write({ $set: newEpoch() }),
  };
}
