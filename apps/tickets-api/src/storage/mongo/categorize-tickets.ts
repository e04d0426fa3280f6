import { trusted } from 'mongoose';
import type { MongoModels } from './models.ts';

const BATCH_SIZE = 1_000;
const UPGRADE = { _id: 'status categories' };

/**
 * Adds `status_category` to tickets of an earlier version, whose statuses became categories with one status of the same name
 * each. Several processes may run it at once; afterwards it reads one document.
 */
export async function categorizeTickets({ tickets }: Pick<MongoModels, 'tickets'>): Promise<void> {
  const upgrades = tickets.db.collection<{ _id: string }>('upgrades');
  if (await upgrades.findOne(UPGRADE)) return;
  let after: string | undefined = '';
  while (after !== undefined) after = await categorizeBatch(tickets, after);
  await upgrades.updateOne(UPGRADE, { $set: UPGRADE }, { upsert: true });
}

/** Migrates a batch; returns the id of its last ticket, or `undefined` at the end. */
async function categorizeBatch(tickets: MongoModels['tickets'], after: string): Promise<string | undefined> {
  const batch = await tickets
    .find({ _id: trusted({ $gt: after }) }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(BATCH_SIZE)
    .lean();
  const ids = batch.map(({ _id }) => _id);
  const uncategorized = { _id: { $in: ids }, status_category: { $exists: false } } as object;
  await tickets.collection.updateMany(uncategorized, [{ $set: { status_category: '$status' } }]);
  return ids.at(-1);
}
