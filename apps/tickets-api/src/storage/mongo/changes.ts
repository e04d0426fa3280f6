import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { type ClientSession, type Connection, type Model, trusted } from 'mongoose';
import type { Change, FeedEntry } from '../../helpdesk/feed/change.ts';
import { type ChangeStore, RESTART_GAP } from '../../helpdesk/feed/change-store.ts';
import { createDocumentSchema } from './document-schema.ts';
import { createEpoch } from './epoch.ts';
import type { MongoModels } from './schema.ts';

/** Time limit of the update of all feeds on behalf of an operator; below the socket timeout. */
const RESTART_LIMIT_MS = 8_000;

/** Options of independent writes. */
const unordered = { ordered: false, maxTimeMS: QUERY_LIMIT_MS } as const;

type ChangeModels = Pick<MongoModels, 'changes' | 'feeds'>;

export function createChangeStore(models: ChangeModels): ChangeStore {
  const epoch = createEpoch(models.feeds.db);
  return {
    list: (query) => guardMongo(async () => (await selectChanges(models, query)).map(toChange)),
    bounds: (reader) =>
      guardMongo(async () => {
        const feed = await models.feeds.findOne({ _id: { $eq: reader } }).lean();
        return { last: feed?.last ?? 0, purgedUpTo: feed?.forgotten ?? 0 };
      }),
    purgeTombstones: (before, limit) => guardMongo(() => purgeTombstones(models, before, limit)),
    restart: () =>
      guardMongo(async () => {
        await epoch.renew();
        const end = { $add: ['$last', RESTART_GAP] };
        await models.feeds.updateMany({}, [{ $set: { last: end, forgotten: end } }], {
          updatePipeline: true,
          maxTimeMS: RESTART_LIMIT_MS,
        });
      }),
    epoch: () => guardMongo(() => epoch.read()),
  };
}

/** Selects a page of a feed by the index of positions. */
export function selectChanges(
  { changes }: Pick<ChangeModels, 'changes'>,
  { reader, after, limit }: Parameters<ChangeStore['list']>[0],
) {
  return changes
    .find({ reader: { $eq: reader }, position: trusted({ $gt: after }) })
    .sort({ position: 'asc' })
    .limit(limit)
    .hint('by_position')
    .lean();
}

/** Selects expired tombstones, oldest first. */
export function selectTombstones({ changes }: Pick<ChangeModels, 'changes'>, before: Date, limit: number) {
  return changes
    .find({ is_gone: true, at: trusted({ $lt: before }) })
    .sort({ at: 'asc' })
    .limit(limit)
    .hint('gone')
    .lean();
}

/**
 * Deletes expired tombstones. The bounds are updated first: readers that check them after a page detect missing
 * tombstones, and if the process dies in between, some readers only start over unnecessarily.
 */
async function purgeTombstones(
  { changes, feeds }: ChangeModels,
  before: Date,
  limit: number,
): Promise<number> {
  const gone = await selectTombstones({ changes }, before, limit);
  if (gone.length === 0) return 0;
  const byReader = Map.groupBy(gone, ({ reader }) => reader);
  const bounds = [...byReader].map(([reader, lines]) => {
    const forgotten = Math.max(...lines.map(({ position }) => position));
    return { updateOne: { filter: { _id: { $eq: reader } }, update: { $max: { forgotten } } } };
  });
  await feeds.bulkWrite(bounds, unordered);
  // Matches the position too, because the entry may have been replaced by a newer one.
  const deletions = gone.map(({ _id, position }) => ({
    deleteOne: { filter: { _id: { $eq: _id }, position: { $eq: position } } },
  }));
  return (await changes.bulkWrite(deletions, unordered)).deletedCount;
}

/** Appends entries to the feeds of their readers, in the transaction of `session`. */
export type FeedWriter = (feedEntries: readonly FeedEntry[], session: ClientSession) => Promise<void>;

/**
 * Creates a feed writer. The position of a feed is one document: a transaction that increments it blocks all others
 * until it ends, so that positions are in the order of commits.
 */
export function createFeedWriter(
  { changes, feeds }: Pick<MongoModels, 'changes' | 'feeds'>,
  { now }: { now: () => Date },
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

/** Groups the latest entry of each resource by reader; `staff` first, because all commits contend there. */
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

/** Change in the feed of a reader as MongoDB stores it. */
interface ChangeDocument {
  /** Reader, resource and id, so that each resource has one change per reader. */
  _id: string;
  reader: string;
  position: number;
  resource: FeedEntry['resource'];
  resource_id: string;
  ticket_id: string;
  is_gone: boolean;
  at: Date;
}

export const changeIndexes = [
  { name: 'by_position', key: { reader: 1, position: 1 } as const, unique: true },
  { name: 'gone', key: { at: 1 } as const, partialFilterExpression: { is_gone: true } },
];

export function createChangeModel(connection: Connection): Model<ChangeDocument> {
  const schema = createDocumentSchema<ChangeDocument>({
    _id: String,
    reader: String,
    position: Number,
    resource: String,
    resource_id: String,
    ticket_id: String,
    is_gone: Boolean,
    at: Date,
  });
  return connection.model<ChangeDocument>('Change', schema, 'changes');
}

/** Bounds of the feed of a reader. */
interface FeedDocument {
  /** Reader. */
  _id: string;
  /** Latest position in use. */
  last: number;
  /** Position of the latest purged tombstone, if any. */
  forgotten?: number;
}

export function createFeedModel(connection: Connection): Model<FeedDocument> {
  const schema = createDocumentSchema<FeedDocument>({ _id: String, last: Number, forgotten: Number });
  return connection.model<FeedDocument>('Feed', schema, 'feed_positions');
}

function toChangeId({ reader, resource, id }: FeedEntry): string {
  return `${reader} ${resource} ${id}`;
}

function toChange(document: ChangeDocument): Change {
  return deepFreeze({
    reader: document.reader,
    resource: document.resource,
    id: document.resource_id,
    ticketId: document.ticket_id,
    isDeleted: document.is_gone,
    position: document.position,
    at: document.at.toISOString(),
  });
}
