import type { Connection, Model } from 'mongoose';
import type { Reply } from '../../helpdesk/replies/reply.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema, createPartSchema } from './document-schema.ts';

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

export function toReply(document: ReplyDocument): Reply {
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
