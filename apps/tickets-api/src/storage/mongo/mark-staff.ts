import { trusted } from 'mongoose';
import type { MongoModels } from './models.ts';

/**
 * Marks staff stored by an earlier version, so that housekeeping masks their addresses for customers. Several processes may
 * call it at once. It reads the staff by an index.
 */
export async function markStaff({ people }: Pick<MongoModels, 'people'>): Promise<void> {
  await people.updateMany(
    { role: trusted({ $in: ['agent', 'admin'] }), 'record.hasBeenStaff': trusted({ $exists: false }) },
    { $set: { 'record.hasBeenStaff': true, 'record.maskingSince': 0 } },
  );
}
