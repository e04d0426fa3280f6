import type { Connection, Model } from 'mongoose';
import { createDocumentSchema } from './document-schema.ts';

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
