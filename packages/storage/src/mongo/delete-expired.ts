import { type Model, type QueryFilter, trusted } from 'mongoose';
import { QUERY_LIMIT_MS } from './mongo.ts';

interface Identified {
  _id: string;
}

interface Expiring extends Identified {
  expiresAt?: Date | undefined;
}

/** Deletes one batch of expired documents and returns their number. */
export async function deleteExpired<Document extends Expiring>(
  documents: Model<Document>,
  now: Date,
  limit: number,
): Promise<number> {
  const expired: QueryFilter<Expiring> = { expiresAt: trusted({ $lte: now }) };
  const batch = await documents.find(expired, { _id: 1 }).limit(limit).lean<Expiring[]>();
  return deleteEach(documents, batch, expired);
}

/**
 * Deletes documents that still match a filter in one command, and returns their number. Each is a deletion of its own:
 * a transaction that holds one of them delays only that one, and the whole command is never repeated for it.
 */
export async function deleteEach<Document extends Identified>(
  documents: Model<Document>,
  batch: readonly Identified[],
  filter: QueryFilter<Document>,
): Promise<number> {
  if (batch.length === 0) return 0;
  const deletions = batch.map(({ _id }) => ({ deleteOne: { filter: { _id, ...filter } } }));
  const { deletedCount } = await documents.bulkWrite(deletions, {
    ordered: false,
    maxTimeMS: QUERY_LIMIT_MS,
  });
  return deletedCount;
}
