import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { trusted } from 'mongoose';
import { type ChangeStore, RESTART_GAP } from '../../helpdesk/feed/change-store.ts';
import { toChange } from './change-model.ts';
import { createEpoch } from './epoch.ts';
import type { MongoModels } from './models.ts';

/** Time limit of the update of all feeds on behalf of an operator; below the socket timeout. */
const RESTART_LIMIT_MS = 8_000;

/** Options of independent writes. */
const unordered = { ordered: false, maxTimeMS: QUERY_LIMIT_MS } as const;

type ChangeModels = Pick<MongoModels, 'changes' | 'feeds'>;

export function createMongoChangeStore(models: ChangeModels): ChangeStore {
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
 * Deletes expired tombstones. The bounds are updated first: readers that check them after a page detect missing tombstones, and
 * if the process dies in between, some readers only start over unnecessarily.
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
