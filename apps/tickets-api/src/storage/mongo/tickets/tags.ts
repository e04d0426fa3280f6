import { randomUUID } from 'node:crypto';
import { guardMongo } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import {
  type ClientSession,
  type Connection,
  type Model,
  type QueryFilter,
  type SortOrder,
  trusted,
} from 'mongoose';
import type { TagCount, TagQuery, TagSort, TagStore } from '../../../helpdesk/tags/tag-store.ts';
import { createSettler } from '../commit/settler.ts';

/** Tags that a ticket counts for, before and after a change. */
export interface TagDifference {
  before: readonly string[];
  after: readonly string[];
}

/** Returns the tags that a ticket counts for. */
export function countedTags(
  ticket: { tags: readonly string[]; is_deleted: boolean } | null,
): readonly string[] {
  return ticket === null || ticket.is_deleted ? [] : ticket.tags;
}

/**
 * Queues differences of the counts of tags, in the transaction of `session`. A count that the transaction changed itself
 * would make all commits with one tag wait for each other; readers settle them instead, as they number a feed.
 */
export async function recountTags(
  tagSteps: Model<TagStepsDocument>,
  differences: readonly TagDifference[],
  session: ClientSession,
): Promise<void> {
  const steps = new Map<string, number>();
  const count = (names: readonly string[], step: number) => {
    for (const name of names) steps.set(name, (steps.get(name) ?? 0) + step);
  };
  for (const { before, after } of differences) {
    count(after, 1);
    count(before, -1);
  }
  const changed = [...steps].filter(([, step]) => step !== 0).map(([name, step]) => ({ name, step }));
  if (changed.length > 0) await tagSteps.insertMany([{ _id: randomUUID(), steps: changed }], { session });
}

/** Creates a function that adds all queued differences to the counts of tags. */
export function createTagSettler(models: {
  tags: Model<TagDocument>;
  tagSteps: Model<TagStepsDocument>;
}): () => Promise<void> {
  const transactions = createTransactions(models.tags.db);
  const settle = createSettler({
    isQueued: async () => (await models.tagSteps.findOne().lean()) !== null,
    async settle() {
      while ((await transactions.run((session) => settleBatch(models, session))) === MAX_BATCH);
    },
  });
  return () => settle('tags');
}

/** Maximum number of differences per transaction. */
const MAX_BATCH = 200;

async function settleBatch(
  { tags, tagSteps }: { tags: Model<TagDocument>; tagSteps: Model<TagStepsDocument> },
  session: ClientSession,
): Promise<number> {
  const queued = await tagSteps.find({}, null, { session }).limit(MAX_BATCH).lean();
  if (queued.length === 0) return 0;
  const sums = new Map<string, number>();
  for (const { name, step } of queued.flatMap(({ steps }) => steps))
    sums.set(name, (sums.get(name) ?? 0) + step);
  const updates = [...sums].map(([name, step]) => ({
    updateOne: { filter: { _id: { $eq: name } }, update: { $inc: { count: step } }, upsert: true },
  }));
  const removals = [...sums.keys()].map((name) => ({
    deleteOne: { filter: { _id: { $eq: name }, count: 0 } },
  }));
  await tags.bulkWrite([...updates, ...removals], { session });
  const settled = queued.map(({ _id }) => ({ deleteOne: { filter: { _id: { $eq: _id } } } }));
  await tagSteps.bulkWrite(settled, { session });
  return queued.length;
}

export function createTagStore(models: {
  tags: Model<TagDocument>;
  tagSteps: Model<TagStepsDocument>;
}): TagStore {
  const { tags } = models;
  const settle = createTagSettler(models);
  return {
    list: (query) =>
      guardMongo(async () => {
        await settle();
        const documents = await tags
          .find(toFilter(query))
          .sort(toOrder(query.sort))
          .limit(query.limit)
          .lean();
        return documents.map(({ _id, count }) => ({ name: _id, count }));
      }),
    count: ({ prefix, limit }) =>
      guardMongo(async () => {
        await settle();
        return await tags.countDocuments(toPrefix(prefix)).limit(limit);
      }),
  };
}

/** Sorts after every other character, so that it ends the range of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

function toOrder({ field, direction }: TagSort): Record<string, SortOrder> {
  const other = direction === 'asc' ? 'desc' : 'asc';
  return field === 'name' ? { _id: direction } : { count: direction, _id: other };
}

function toFilter({ prefix, sort, after }: TagQuery): QueryFilter<TagDocument> {
  return { $and: [toPrefix(prefix), ...(after ? behind(after, sort) : [])] };
}

function toPrefix(prefix: string | undefined): QueryFilter<TagDocument> {
  return prefix === undefined ? {} : { _id: trusted({ $gte: prefix, $lt: prefix + LAST_CHARACTER }) };
}

/** Returns conditions for tags after a position. The first condition on the count bounds the index. */
function behind({ count, name }: TagCount, { field, direction }: TagSort): QueryFilter<TagDocument>[] {
  const [past, before] = direction === 'asc' ? (['$gt', '$lt'] as const) : (['$lt', '$gt'] as const);
  if (field === 'name') return [{ _id: trusted({ [past]: name }) }];
  return [
    { count: trusted({ [`${past}e`]: count }) },
    { $or: [{ count: trusted({ [past]: count }) }, { _id: trusted({ [before]: name }) }] },
  ] as QueryFilter<TagDocument>[];
}

/** Number of tickets with a tag, without deleted ones. */
export interface TagDocument {
  /** Tag. */
  _id: string;
  count: number;
}

export const tagIndexes = [{ name: 'by_count', key: { count: -1, _id: 1 } as const }];

export function createTagModel(connection: Connection): Model<TagDocument> {
  const schema = createDocumentSchema<TagDocument>({ _id: String, count: Number });
  return connection.model<TagDocument>('Tag', schema, 'tag_counts');
}

/** Differences of counts that a group of commits made. */
export interface TagStepsDocument {
  _id: string;
  steps: { name: string; step: number }[];
}

export function createTagStepsModel(connection: Connection): Model<TagStepsDocument> {
  const step = createPartSchema({ name: String, step: Number });
  const schema = createDocumentSchema<TagStepsDocument>({ _id: String, steps: [step] });
  return connection.model<TagStepsDocument>('TagSteps', schema, 'tag_steps');
}
