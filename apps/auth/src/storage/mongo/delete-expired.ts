import { type Model, type QueryFilter, trusted } from 'mongoose';

interface Expiring {
  _id: string;
  expiresAt?: Date | undefined;
}

/** Deletes one batch of what has expired, and tells how many there were. */
export async function deleteExpired<Document extends Expiring>(
  documents: Model<Document>,
  now: Date,
  limit: number,
): Promise<number> {
  const expired: QueryFilter<Expiring> = { expiresAt: trusted({ $lte: now }) };
  const batch = await documents.find(expired, { _id: 1 }).limit(limit).lean<Expiring[]>();
  const { deletedCount } = await documents.deleteMany({ _id: isAnyOf(batch), ...expired });
  return deletedCount;
}

/** A filter of ids. */
export function isAnyOf(documents: readonly { _id: string }[]) {
  return trusted({ $in: documents.map(({ _id }) => _id) });
}
