import { type Model, type QueryFilter, trusted } from 'mongoose';

interface Expiring {
  _id: string;
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
  const { deletedCount } = await documents.deleteMany({ _id: hasIdOf(batch), ...expired });
  return deletedCount;
}

/** Returns a filter on the ids of documents. */
export function hasIdOf(documents: readonly { _id: string }[]) {
  return trusted({ $in: documents.map(({ _id }) => _id) });
}
