import type { ClientSession } from 'mongoose';
import type { Sighting } from '../../changes/change.ts';
import { type ChangeDocument, toChangeId } from './change-model.ts';
import type { MongoModels } from './models.ts';

/** Adds what readers see to their feeds, in the transaction of `session`. */
export type FeedWriter = (sightings: readonly Sighting[], session: ClientSession) => Promise<void>;

/**
 * The position of a feed is one document: a transaction that has counted it up keeps every other from doing so until
 * it has ended, so positions are given out in the order of commits.
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

  return async (sightings, session) => {
    if (sightings.length === 0) return;
    const at = now();
    const documents: ChangeDocument[] = [];
    for (const [reader, seen] of byReader(sightings)) {
      const first = await reserve(reader, seen.length, session);
      documents.push(...seen.map((sighting, i) => toDocument(sighting, first + i, at)));
    }
    const replacements = documents.map((replacement) => ({
      replaceOne: { filter: { _id: { $eq: replacement._id } }, replacement, upsert: true },
    }));
    await changes.bulkWrite(replacements, { session });
  };
}

/** The latest sighting of each resource. Staff come first: all commits meet at their feed, and learn there soonest who loses. */
function byReader(sightings: readonly Sighting[]): [reader: string, seen: Sighting[]][] {
  const latest = new Map(sightings.map((sighting) => [toChangeId(sighting), sighting]));
  const readers = [...Map.groupBy(latest.values(), ({ reader }) => reader)];
  return readers.sort(([one], [other]) => Number(other === 'staff') - Number(one === 'staff'));
}

function toDocument(sighting: Sighting, position: number, at: Date): ChangeDocument {
  return {
    _id: toChangeId(sighting),
    reader: sighting.reader,
    position,
    resource: sighting.resource,
    resource_id: sighting.id,
    ticket_id: sighting.ticketId,
    is_gone: sighting.isGone,
    at,
  };
}
