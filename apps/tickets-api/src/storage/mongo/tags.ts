import { guardMongo } from '@keydesk/storage/mongo';
import {
  type ClientSession,
  type Connection,
  type Model,
  type QueryFilter,
  type SortOrder,
  trusted,
} from 'mongoose';
import type { TagCount, TagQuery, TagSort, TagStore } from '../../helpdesk/tags/tag-store.ts';
import { createDocumentSchema } from './document-schema.ts';
import type { MongoModels } from './schema.ts';

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

/** Updates the counts of tags, in the transaction of `session`. */
export async function recountTags(
  tags: MongoModels['tags'],
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
  const updates = [...steps]
    .filter(([, step]) => step !== 0)
    .map(([name, step]) => ({
      updateOne: { filter: { _id: { $eq: name } }, update: { $inc: { count: step } }, upsert: true },
    }));
  if (updates.length === 0) return;
  await tags.bulkWrite(updates, { session });
  const fewer = [...steps].filter(([, step]) => step < 0).map(([name]) => name);
  if (fewer.length === 0) return;
  await tags.deleteMany({ _id: trusted({ $in: fewer }), count: 0 }, { session });
}

export function createTagStore({ tags }: Pick<MongoModels, 'tags'>): TagStore {
  return {
    list: (query) =>
      guardMongo(async () => {
        const documents = await tags
          .find(toFilter(query))
          .sort(toOrder(query.sort))
          .limit(query.limit)
          .lean();
        return documents.map(({ _id, count }) => ({ name: _id, count }));
      }),
    count: ({ prefix, limit }) => guardMongo(() => tags.countDocuments(toPrefix(prefix)).limit(limit)),
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
interface TagDocument {
  /** Tag. */
  _id: string;
  count: number;
}

export const tagIndexes = [{ name: 'by_count', key: { count: -1, _id: 1 } as const }];

export function createTagModel(connection: Connection): Model<TagDocument> {
  const schema = createDocumentSchema<TagDocument>({ _id: String, count: Number });
  return connection.model<TagDocument>('Tag', schema, 'tag_counts');
}
