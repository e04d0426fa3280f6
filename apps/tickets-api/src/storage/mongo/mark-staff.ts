import { trusted } from 'mongoose';
import type { MongoModels } from './models.ts';

/**
 * Marks the staff whom an earlier version stored, so that housekeeping masks their addresses in what customers see. Several
 * processes may do so at once; with nothing to do it reads the staff by an index.
 */
export async function markStaff({ people }: Pick<MongoModels, 'people'>): Promise<void> {
  await people.updateMany(
    { role: trusted({ $in: ['agent', 'admin'] }), 'record.hasBeenStaff': trusted({ $exists: false }) },
    { $set: { 'record.hasBeenStaff': true, 'record.maskingSince': 0 } },
  );
}
