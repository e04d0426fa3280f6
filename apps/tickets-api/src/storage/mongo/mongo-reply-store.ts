import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { NewestQuery, ReplyQuery, ReplyStore } from '../../helpdesk/replies/reply-store.ts';
import { type ReplyDocument, toReply } from './reply-model.ts';

export function createMongoReplyStore(replies: Model<ReplyDocument>): ReplyStore {
  return {
    find: (ticketId, id) =>
      guardMongo(async () => {
        const filter = { _id: { $eq: id }, ticket_id: { $eq: ticketId } };
        const document = await replies.findOne(filter).lean();
        return document ? toReply(document) : undefined;
      }),
    findAll: (ids) =>
      guardMongo(async () => (await replies.find({ _id: trusted({ $in: ids }) }).lean()).map(toReply)),
    count: (query) =>
      guardMongo(() => replies.countDocuments(toFilter(query)).hint(indexOf(query)).limit(query.limit)),
    list: (query) => guardMongo(async () => (await selectReplies(replies, query)).map(toReply)),
    listNewest: (query) => guardMongo(async () => (await selectNewest(replies, query)).map(toReply)),
  };
}

/** Selects a page of replies by an index of one ticket. */
export function selectReplies(replies: Model<ReplyDocument>, query: ReplyQuery) {
  const { direction, after, limit } = query;
  return replies
    .find({ ...toFilter(query), ...(after && behind(after, direction)) })
    .sort({ created_at: direction, _id: direction })
    .limit(limit)
    .hint(indexOf(query))
    .lean();
}

function toFilter({
  ticketId,
  isPublicOnly,
}: Pick<ReplyQuery, 'ticketId' | 'isPublicOnly'>): QueryFilter<ReplyDocument> {
  return { ticket_id: { $eq: ticketId }, ...(isPublicOnly && { visibility: { $eq: 'public' } }) };
}

function indexOf({ isPublicOnly }: Pick<ReplyQuery, 'isPublicOnly'>): string {
  return isPublicOnly ? 'in_order_by_visibility' : 'in_order';
}

/** Returns conditions for replies after a position. The first bounds the index. */
function behind({ created_at, id }: NonNullable<ReplyQuery['after']>, direction: ReplyQuery['direction']) {
  const at = new Date(created_at);
  const [from, past] = direction === 'asc' ? (['$gte', '$gt'] as const) : (['$lte', '$lt'] as const);
  return {
    created_at: trusted({ [from]: at }),
    $or: [{ created_at: trusted({ [past]: at }) }, { created_at: { $eq: at }, _id: trusted({ [past]: id }) }],
  };
}

/** Selects the newest replies of several tickets in one command, a union of index walks with a limit each. */
async function selectNewest(replies: Model<ReplyDocument>, query: NewestQuery): Promise<ReplyDocument[]> {
  const [first, ...others] = query.ticketIds.map((ticketId) => toNewest(ticketId, query));
  if (!first) return [];
  const { collectionName: coll } = replies.collection;
  const unions = others.map((pipeline) => ({ $unionWith: { coll, pipeline } }));
  return replies.collection
    .aggregate<ReplyDocument>([...first, ...unions], { maxTimeMS: QUERY_LIMIT_MS })
    .toArray();
}

function toNewest(ticketId: string, { isPublicOnly, limit }: NewestQuery) {
  return [
    { $match: toFilter({ ticketId, isPublicOnly }) },
    { $sort: { created_at: -1, _id: -1 } },
    { $limit: limit },
  ];
}
