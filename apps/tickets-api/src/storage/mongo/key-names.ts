import { toNameKey } from '../../helpdesk/people/person-order.ts';
import type { MongoModels } from './models.ts';

const BATCH_SIZE = 1_000;

/** Adds the sort keys of names that an earlier version did not store. Several processes may do so at once. */
export async function keyNames({ people }: Pick<MongoModels, 'people'>): Promise<void> {
  for (;;) {
    const earlier = await people.collection
      .find<{ _id: string; version: number; record: { person: { name: string | null } } }>({ name_key: null })
      .limit(BATCH_SIZE)
      .toArray();
    if (earlier.length === 0) return;
    const updates = earlier.map(({ _id, version, record }) => ({
      updateOne: {
        filter: { _id: { $eq: _id }, version: { $eq: version } },
        update: { $set: { name_key: toNameKey(record.person.name) } },
      },
    }));
    await people.collection.bulkWrite(updates as never);
  }
}
