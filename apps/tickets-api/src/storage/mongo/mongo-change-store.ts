import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { trusted } from 'mongoose';
import { type ChangeStore, RESTART_GAP } from '../../helpdesk/feed/change-store.ts';
import { toChange } from './change-model.ts';
import { createEpoch } from './epoch.ts';
import type { MongoModels } from './models.ts';

/** Bound of the one update of every feed, which an operator asks for; below the time-out of the socket. */
const RESTART_LIMIT_MS = 8_000;

/** Documents that do not depend on each other. */
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

/** The documents of a page of a feed, found by walking the index of positions. */
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

/** The changes that may be forgotten, the longest ago first. */
export function selectGone({ changes }: Pick<ChangeModels, 'changes'>, before: Date, limit: number) {
  return changes
    .find({ is_gone: true, at: trusted({ $lt: before }) })
    .sort({ at: 'asc' })
    .limit(limit)
    .hint('gone')
    .lean();
}

/**
 * The bounds are moved before anything is deleted: whoever reads them after a page knows whether it may lack something,
 * and a process that dies in between has only sent some readers back too far.
 */
async function purgeTombstones(
  { changes, feeds }: ChangeModels,
  before: Date,
  limit: number,
): Promise<number> {
  const gone = await selectGone({ changes }, before, limit);
  if (gone.length === 0) return 0;
  const byReader = Map.groupBy(gone, ({ reader }) => reader);
  const bounds = [...byReader].map(([reader, lines]) => {
    const forgotten = Math.max(...lines.map(({ position }) => position));
    return { updateOne: { filter: { _id: { $eq: reader } }, update: { $max: { forgotten } } } };
  });
  await feeds.bulkWrite(bounds, unordered);
  // By position too: a line that was replaced meanwhile tells something newer.
  const deletions = gone.map(({ _id, position }) => ({
    deleteOne: { filter: { _id: { $eq: _id }, position: { $eq: position } } },
  }));
  return (await changes.bulkWrite(deletions, unordered)).deletedCount;
}
