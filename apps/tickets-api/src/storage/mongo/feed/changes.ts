import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type ClientSession, type Connection, type Model, trusted } from 'mongoose';
import type { TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import type { Change, FeedEntry, Reader } from '../../../helpdesk/feed/change.ts';
import { type ChangeStore, RESTART_GAP } from '../../../helpdesk/feed/change-store.ts';
import { createEpoch } from './epoch.ts';
import { createFeedNumbers } from './feed-numbers.ts';

/** Time limit of the update of all feeds on behalf of an operator; below the socket timeout. */
const RESTART_LIMIT_MS = 8_000;

/** Options of independent writes. */
const unordered = { ordered: false, maxTimeMS: QUERY_LIMIT_MS } as const;

type ChangeModels = { changes: Model<ChangeDocument>; feeds: Model<FeedDocument> };

export function createChangeStore(models: ChangeModels): ChangeStore {
  const epoch = createEpoch(models.feeds.db);
  const number = createFeedNumbers(models);
  return {
    list: (query) =>
      guardMongo(async () => {
        await number(query.reader);
        return (await selectChanges(models, query)).map(toChange);
      }),
    bounds: (reader) =>
      guardMongo(async () => {
        await number(reader);
        const feed = await models.feeds.findOne({ _id: { $eq: reader } }).lean();
        return { last: feed?.last ?? 0, purgedUpTo: feed?.forgotten ?? 0 };
      }),
    purgeTombstones: (before, limit) => guardMongo(() => purgeTombstones(models, { before, limit, number })),
    restart: () =>
      guardMongo(async () => {
        await epoch.renew();
        await restartFeeds(models);
      }),
    epoch: () => guardMongo(() => epoch.read()),
  };
}

/** Moves the end of every feed ahead, even where changes are queued and none has a position yet. */
async function restartFeeds({ changes, feeds }: ChangeModels): Promise<void> {
  const bounded = { maxTimeMS: RESTART_LIMIT_MS };
  const readers = await changes.distinct('reader', { is_queued: true }, bounded);
  const missing = readers.map((reader) => ({
    updateOne: { filter: { _id: { $eq: reader } }, update: { $setOnInsert: { last: 0 } }, upsert: true },
  }));
  if (missing.length > 0) await feeds.bulkWrite(missing, unordered);
  const end = { $add: ['$last', RESTART_GAP] };
  const update = [{ $set: { last: end, forgotten: end } }];
  await feeds.updateMany({}, update, { updatePipeline: true, ...bounded });
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
  { before, limit, number }: { before: Date; limit: number; number: (reader: Reader) => Promise<void> },
): Promise<number> {
  const expired = await selectTombstones({ changes }, before, limit);
  const queued = new Set(expired.filter(({ is_queued }) => is_queued).map(({ reader }) => reader));
  for (const reader of queued) await number(reader);
  const numbered = queued.size === 0 ? expired : await selectTombstones({ changes }, before, limit);
  const gone = numbered.flatMap(({ position, is_queued, ...rest }) =>
    position === undefined || is_queued ? [] : [{ position, ...rest }],
  );
  if (gone.length === 0) return 0;
  const byReader = Map.groupBy(gone, ({ reader }) => reader);
  const bounds = [...byReader].map(([reader, lines]) => {
    const forgotten = Math.max(...lines.map(({ position }) => position));
    return { updateOne: { filter: { _id: { $eq: reader } }, update: { $max: { forgotten } } } };
  });
  await feeds.bulkWrite(bounds, unordered);
  // Matches the position too, because the entry may have been replaced by a newer one.
  const deletions = gone.map(({ _id, position }) => ({
    deleteOne: { filter: { _id: { $eq: _id }, position: { $eq: position }, is_queued: { $eq: null } } },
  }));
  return (await changes.bulkWrite(deletions, unordered)).deletedCount;
}

/** Queues the feed entries of commits, in the transaction of `session`; `createFeedNumbers` gives them positions. */
export type FeedWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<void>;

export function createFeedWriter(
  { changes }: { changes: Model<ChangeDocument> },
  { now }: { now: () => Date },
): FeedWriter {
  return async (commits, session) => {
    const at = now();
    const queued = commits.flatMap((commit) =>
      commit.feedEntries.map((entry, place) => toQueued(entry, { at, place, version: versionAfter(commit) })),
    );
    // The latest entry of each resource.
    const latest = [...new Map(queued.map((document) => [document._id, document])).values()];
    if (latest.length === 0) return;
    const upserts = latest.map(({ _id, ...members }) => ({
      updateOne: { filter: { _id: { $eq: _id } }, update: { $set: members }, upsert: true },
    }));
    await changes.bulkWrite(upserts, { session });
  };
}

function versionAfter({ record, expectedVersion = 0 }: TicketCommit): number {
  return record?.ticket.version ?? expectedVersion + 1;
}

function toQueued(entry: FeedEntry, order: Pick<ChangeDocument, 'at' | 'version' | 'place'>) {
  return {
    _id: toChangeId(entry),
    reader: entry.reader,
    is_queued: true as const,
    resource: entry.resource,
    resource_id: entry.id,
    ticket_id: entry.ticketId,
    is_gone: entry.isDeleted,
    ...order,
  };
}

/** Change in the feed of a reader as MongoDB stores it. */
export interface ChangeDocument {
  /** Reader, resource and id, so that each resource has one change per reader. */
  _id: string;
  reader: string;
  /** Absent until the first change of the resource is numbered. */
  position?: number;
  /** Whether the latest change has no position yet; absent where it is false. */
  is_queued?: true;
  /** Version of the ticket after the commit, and place of the entry within the commit: the order in the feed. */
  version: number;
  place: number;
  resource: FeedEntry['resource'];
  resource_id: string;
  ticket_id: string;
  is_gone: boolean;
  at: Date;
}

export const changeIndexes = [
  { name: 'by_position', key: { reader: 1, position: 1 } as const },
  {
    name: 'queued',
    key: { reader: 1, at: 1 } as const,
    partialFilterExpression: { is_queued: true },
  },
  { name: 'gone', key: { at: 1 } as const, partialFilterExpression: { is_gone: true } },
];

export function createChangeModel(connection: Connection): Model<ChangeDocument> {
  const schema = createDocumentSchema<ChangeDocument>({
    _id: String,
    reader: String,
    position: Number,
    is_queued: Boolean,
    version: Number,
    place: Number,
    resource: String,
    resource_id: String,
    ticket_id: String,
    is_gone: Boolean,
    at: Date,
  });
  return connection.model<ChangeDocument>('Change', schema, 'changes');
}

/** Bounds of the feed of a reader. */
export interface FeedDocument {
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
    position: document.position ?? 0,
    at: document.at.toISOString(),
  });
}
