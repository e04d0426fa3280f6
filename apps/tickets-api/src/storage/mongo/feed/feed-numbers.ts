import { createTransactions } from '@keydesk/storage/mongo-transactions';
import type { ClientSession, Model } from 'mongoose';
import type { Reader } from '../../../helpdesk/feed/change.ts';
import { createSettler } from '../commit/settler.ts';
import type { ChangeDocument, FeedDocument } from './changes.ts';

/**
 * Gives the changes in a feed their positions.
 *
 * A position that a commit took itself would have to stay locked until the commit ends: with two open transactions, a
 * reader may see position 8 before position 7 is committed, and skip 7. One such document for all commits makes every
 * machine wait for every other. So commits only queue their changes, in documents of their own ticket, and the readers
 * of a feed number what is queued, before they read it, in a short transaction that increments the end of that feed:
 *
 * - Snapshot isolation gives the transaction all queued changes that were committed before its start, and none that
 *   are committed later. Those remain queued.
 * - Two such transactions of one feed both write its end, so MongoDB aborts one of them. The one that is committed
 *   later therefore has the later positions: a reader that sees a position sees all lower ones, and whatever is
 *   numbered afterwards is behind. No reader skips a change.
 * - A change that is numbered at the same time as a commit replaces it is a write conflict. One of them starts again,
 *   and the newer content is numbered afterwards.
 * - A queued change keeps its previous position until it is numbered, so a reader that starts at the beginning always
 *   finds every resource; the item shows the current state anyway. Only new resources have no position yet.
 * - Within a ticket, the order is that of its versions; among tickets that of the clocks of their processes.
 *
 * Commits therefore never wait for a feed; a feed waits at most for one transaction of three commands. Feeds that are
 * not read cost nothing, and the queue is never longer than the feed.
 */
export function createFeedNumbers(models: {
  changes: Model<ChangeDocument>;
  feeds: Model<FeedDocument>;
}): (reader: Reader) => Promise<void> {
  const transactions = createTransactions(models.feeds.db);
  return createSettler({
    isQueued: async (reader) => (await selectQueued(models, reader, 1)).length > 0,
    async settle(reader) {
      while ((await transactions.run((session) => numberBatch(models, reader, session))) === MAX_BATCH);
    },
  });
}

/** Maximum number of changes per transaction. */
const MAX_BATCH = 1_000;

async function numberBatch(
  models: { changes: Model<ChangeDocument>; feeds: Model<FeedDocument> },
  reader: Reader,
  session: ClientSession,
): Promise<number> {
  const queued = toFeedOrder(await selectQueued(models, reader, MAX_BATCH, session));
  if (queued.length === 0) return 0;
  const options = { upsert: true, returnDocument: 'after', session } as const;
  const increment = { $inc: { last: queued.length } };
  const { last } = await models.feeds.findOneAndUpdate({ _id: { $eq: reader } }, increment, options).lean();
  const first = last - queued.length + 1;
  const updates = queued.map(({ _id }, i) => ({
    updateOne: {
      filter: { _id: { $eq: _id } },
      update: { $set: { position: first + i }, $unset: { is_queued: true as const } },
    },
  }));
  await models.changes.bulkWrite(updates, { session });
  return queued.length;
}

/** Selects the oldest changes that have no position yet. */
export function selectQueued(
  { changes }: { changes: Model<ChangeDocument> },
  reader: Reader,
  limit: number,
  session?: ClientSession,
) {
  return changes
    .find({ reader: { $eq: reader }, is_queued: true }, null, session && { session })
    .sort({ at: 'asc' })
    .limit(limit)
    .hint('queued')
    .lean();
}

/** Sorts changes by time; those of one ticket by its versions, because clocks of processes differ. */
function toFeedOrder(queued: readonly ChangeDocument[]): readonly ChangeDocument[] {
  const timed: { change: ChangeDocument; at: number }[] = [];
  for (const ofTicket of Map.groupBy(queued, ({ ticket_id }) => ticket_id).values()) {
    let latest = 0;
    for (const change of ofTicket.toSorted(inTicket)) {
      latest = Math.max(latest, change.at.getTime());
      timed.push({ change, at: latest });
    }
  }
  return timed
    .toSorted((one, other) => one.at - other.at || inTicket(one.change, other.change))
    .map(({ change }) => change);
}

function inTicket(one: ChangeDocument, other: ChangeDocument): number {
  return one.version - other.version || one.place - other.place;
}
