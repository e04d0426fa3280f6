import { guardMongo } from '@keydesk/storage/mongo';
import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { ReplyQuery, ReplyStore } from '../../replies/reply-store.ts';
import { type ReplyDocument, toReply } from './reply-model.ts';

export function createMongoReplyStore(replies: Model<ReplyDocument>): ReplyStore {
  return {
    find: (ticketId, id) =>
      guardMongo(async () => {
        const filter = { _id: { $eq: id }, ticket_id: { $eq: ticketId } };
        const document = await replies.findOne(filter).lean();
        return document ? toReply(document) : undefined;
      }),
    list: (query) => guardMongo(async () => (await selectReplies(replies, query)).map(toReply)),
  };
}

/** The documents of a list, found by walking an index of the replies of one ticket. */
export function selectReplies(replies: Model<ReplyDocument>, query: ReplyQuery) {
  const { ticketId, isPublicOnly, direction, after, limit } = query;
  const filter: QueryFilter<ReplyDocument> = {
    ticket_id: { $eq: ticketId },
    ...(isPublicOnly && { visibility: { $eq: 'public' } }),
    ...(after !== undefined && { _id: trusted({ [direction === 'desc' ? '$lt' : '$gt']: after }) }),
  };
  return replies
    .find(filter)
    .sort({ _id: direction })
    .limit(limit)
    .hint(isPublicOnly ? 'by_ticket_and_visibility' : 'by_ticket')
    .lean();
}
