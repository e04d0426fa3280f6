import type { Connection, Model } from 'mongoose';
import type { Change, FeedEntry } from '../../helpdesk/feed/change.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema } from './document-schema.ts';

/** A line of a reader's feed as MongoDB holds it. */
export interface ChangeDocument {
  /** Reader, resource and id, so that of each resource a reader has one line. */
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

/** How far the feed of a reader has come. */
export interface FeedDocument {
  /** The reader. */
  _id: string;
  /** The latest position that was given out. */
  last: number;
  /** The position of the latest change that was deleted, if any was. */
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
