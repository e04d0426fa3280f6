import type { Connection, Model } from 'mongoose';
import type { Change, FeedEntry } from '../../helpdesk/feed/change.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema } from './document-schema.ts';

/** Change in the feed of a reader as MongoDB stores it. */
export interface ChangeDocument {
  /** Reader, resource and id, so that each resource has one change per reader. */
  _id: string;
  reader: string;
  position: number;
  resource: FeedEntry['resource'];
  resource_id: string;
  ticket_id: string;
  is_gone: boolean;
  at: Date;
}

export const changeIndexes = [
  { name: 'by_position', key: { reader: 1, position: 1 } as const, unique: true },
  { name: 'gone', key: { at: 1 } as const, partialFilterExpression: { is_gone: true } },
];

export function createChangeModel(connection: Connection): Model<ChangeDocument> {
  const schema = createDocumentSchema<ChangeDocument>({
    _id: String,
    reader: String,
    position: Number,
    resource: String,
    resource_id: String,
    ticket_id: String,
    is_gone: Boolean,
    at: Date,
  });
  return connection.model<ChangeDocument>('Change', schema, 'changes');
}

/** Bounds of the feed of a reader. */
export interface FeedDocument {
  /** Reader. */
  _id: string;
  /** Latest position in use. */
  last: number;
  /** Position of the latest purged tombstone, if any. */
  forgotten?: number;
}

export function createFeedModel(connection: Connection): Model<FeedDocument> {
  const schema = createDocumentSchema<FeedDocument>({ _id: String, last: Number, forgotten: Number });
  return connection.model<FeedDocument>('Feed', schema, 'feed_positions');
}

export function toChangeId({ reader, resource, id }: FeedEntry): string {
  return `${reader} ${resource} ${id}`;
}

export function toChange(document: ChangeDocument): Change {
  return deepFreeze({
    reader: document.reader,
    resource: document.resource,
    id: document.resource_id,
    ticketId: document.ticket_id,
    isDeleted: document.is_gone,
    position: document.position,
    at: document.at.toISOString(),
  });
}
