import type { Connection, Model } from 'mongoose';
import type { Reply } from '../../replies/reply.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema, createReferenceSchema } from './document-schema.ts';

/** A reply as MongoDB holds it. */
export interface ReplyDocument extends Omit<Reply, 'id' | 'created_at' | 'updated_at'> {
  _id: string;
  created_at: Date;
  updated_at: Date;
}

export const replyIndexes = [
  { name: 'in_order', key: { ticket_id: 1, created_at: 1, _id: 1 } as const },
  { name: 'in_order_by_visibility', key: { ticket_id: 1, visibility: 1, created_at: 1, _id: 1 } as const },
];

/** The indexes of replies while their ids told the order. */
export const earlierReplyIndexNames: readonly string[] = ['by_ticket', 'by_ticket_and_visibility'];

export function createReplyModel(connection: Connection): Model<ReplyDocument> {
  const schema = createDocumentSchema<ReplyDocument>({
    _id: String,
    ticket_id: String,
    visibility: String,
    author: createReferenceSchema(),
    incoming: Boolean,
    body: String,
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<ReplyDocument>('Reply', schema, 'replies');
}

export function toReplyDocument({ id, created_at, updated_at, ...same }: Reply): ReplyDocument {
  return { _id: id, ...same, created_at: new Date(created_at), updated_at: new Date(updated_at) };
}

export function toReply(document: ReplyDocument): Reply {
  return deepFreeze({
    id: document._id,
    ticket_id: document.ticket_id,
    visibility: document.visibility,
    author: document.author,
    incoming: document.incoming,
    body: document.body,
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
  });
}
