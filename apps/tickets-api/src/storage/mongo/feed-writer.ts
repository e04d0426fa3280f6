import type { ClientSession } from 'mongoose';
import type { FeedEntry } from '../../helpdesk/feed/change.ts';
import { type ChangeDocument, toChangeId } from './change-model.ts';
import type { MongoModels } from './models.ts';

/** Appends entries to the feeds of their readers, in the transaction of `session`. */
export type FeedWriter = (feedEntries: readonly FeedEntry[], session: ClientSession) => Promise<void>;

/**
 * Creates a feed writer. The position of a feed is one document: a transaction that increments it blocks all others until it
 * ends, so that positions are in the order of commits.
 */
export function createFeedWriter(
  { changes, feeds }: Pick<MongoModels, 'changes' | 'feeds'>,
  now: () => Date,
): FeedWriter {
  async function reserve(reader: string, count: number, session: ClientSession): Promise<number> {
    const feed = await feeds
      .findOneAndUpdate(
        { _id: { $eq: reader } },
        { $inc: { last: count } },
        { upsert: true, returnDocument: 'after', session },
      )
      .lean();
    return feed.last - count + 1;
  }

  return async (feedEntries, session) => {
    if (feedEntries.length === 0) return;
    const at = now();
    const documents: ChangeDocument[] = [];
    for (const [reader, seen] of byReader(feedEntries)) {
      const first = await reserve(reader, seen.length, session);
      documents.push(...seen.map((entry, i) => toDocument(entry, first + i, at)));
    }
    const replacements = documents.map((replacement) => ({
      replaceOne: { filter: { _id: { $eq: replacement._id } }, replacement, upsert: true },
    }));
    await changes.bulkWrite(replacements, { session });
  };
}

/** Groups the latest entry of each resource by reader; `staff` first, where all commits contend, to detect conflicts early. */
function byReader(feedEntries: readonly FeedEntry[]): [reader: string, seen: FeedEntry[]][] {
  const latest = new Map(feedEntries.map((entry) => [toChangeId(entry), entry]));
  const readers = [...Map.groupBy(latest.values(), ({ reader }) => reader)];
  return readers.sort(([one], [other]) => Number(other === 'staff') - Number(one === 'staff'));
}

function toDocument(entry: FeedEntry, position: number, at: Date): ChangeDocument {
  return {
    _id: toChangeId(entry),
    reader: entry.reader,
    position,
    resource: entry.resource,
    resource_id: entry.id,
    ticket_id: entry.ticketId,
    is_gone: entry.isDeleted,
    at,
  };
}
