import type { Connection, Model } from 'mongoose';
import { createDocumentSchema } from './document-schema.ts';

/** Record of a repeatable request as MongoDB stores it. */
export interface RequestRecordDocument {
  /** Key. */
  _id: string;
  fingerprint: string;
  expires_at: Date;
  /** JSON, because its member names are data and must never be operators or paths. */
  answer: string;
  ticket_id: string | null;
}

/** Indexes of request records. MongoDB removes expired ones eventually; correctness does not depend on it. */
export const requestRecordIndexes = [
  { name: 'expires_at', key: { expires_at: 1 } as const, expireAfterSeconds: 0 },
  { name: 'by_ticket', key: { ticket_id: 1 } as const },
];

export function createRequestRecordModel(connection: Connection): Model<RequestRecordDocument> {
  const schema = createDocumentSchema<RequestRecordDocument>({
    _id: String,
    fingerprint: String,
    expires_at: Date,
    answer: String,
    ticket_id: String,
  });
  return connection.model<RequestRecordDocument>('RequestRecord', schema, 'request_records');
}

/** Id of a purged ticket or reply. */
interface RetiredIdDocument {
  _id: string;
}

export function createRetiredIdModel(connection: Connection): Model<RetiredIdDocument> {
  const schema = createDocumentSchema<RetiredIdDocument>({ _id: String });
  return connection.model<RetiredIdDocument>('RetiredId', schema, 'retired_ids');
}
