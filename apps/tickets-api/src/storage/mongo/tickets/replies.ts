import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, type Model, type QueryFilter, trusted } from 'mongoose';
import type { Reply } from '../../../helpdesk/replies/reply.ts';
import type { NewestQuery, ReplyQuery, ReplyStore } from '../../../helpdesk/replies/reply-store.ts';

export function createReplyStore({ replies }: { replies: Model<ReplyDocument> }): ReplyStore {
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

/** Reply as MongoDB stores it. */
export interface ReplyDocument extends Omit<Reply, 'id' | 'created_at' | 'updated_at' | 'isAuthorMasked'> {
  _id: string;
  /** Absent where it is false. */
  is_author_masked?: boolean;
  created_at: Date;
  updated_at: Date;
}

export const replyIndexes = [
  { name: 'in_order', key: { ticket_id: 1, created_at: 1, _id: 1 } as const },
  { name: 'in_order_by_visibility', key: { ticket_id: 1, visibility: 1, created_at: 1, _id: 1 } as const },
];

export function createReplyModel(connection: Connection): Model<ReplyDocument> {
  const schema = createDocumentSchema<ReplyDocument>({
    _id: String,
    ticket_id: String,
    visibility: String,
    author: createPartSchema({ type: { type: String }, id: String, email: String, name: String }),
    incoming: Boolean,
    counts_as_reply: Boolean,
    body: String,
    created_at: Date,
    updated_at: Date,
    version: Number,
    is_author_masked: Boolean,
  });
  return connection.model<ReplyDocument>('Reply', schema, 'replies');
}

export function toReplyDocument(reply: Reply): ReplyDocument {
  const { id, created_at, updated_at, isAuthorMasked, ...same } = reply;
  const times = { created_at: new Date(created_at), updated_at: new Date(updated_at) };
  return { _id: id, ...same, ...times, ...(isAuthorMasked && { is_author_masked: true }) };
}

function toReply(document: ReplyDocument): Reply {
  return deepFreeze({
    id: document._id,
    ticket_id: document.ticket_id,
    visibility: document.visibility,
    author: document.author,
    incoming: document.incoming,
    counts_as_reply: document.counts_as_reply,
    body: document.body,
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
    ...(document.is_author_masked && { isAuthorMasked: true as const }),
  });
}
