import { type Connection, type Model, Schema } from 'mongoose';

/** The record of a repeatable request as MongoDB holds it. */
export interface RequestRecordDocument {
  /** The key. */
  _id: string;
  fingerprint: string;
  expires_at: Date;
  /** JSON, for the names in it are data and must never be operators or paths. */
  resource: string;
}

/** MongoDB removes what has expired by itself; nothing rests on when it does. */
export const requestRecordIndexes = [
  { name: 'expires_at', key: { expires_at: 1 } as const, expireAfterSeconds: 0 },
];

export function createRequestRecordModel(connection: Connection): Model<RequestRecordDocument> {
  const strict = { strict: 'throw', versionKey: false } as const;
  const schema = new Schema<RequestRecordDocument>(
    { _id: String, fingerprint: String, expires_at: Date, resource: String },
    strict,
  );
  return connection.model<RequestRecordDocument>('RequestRecord', schema, 'request_records');
}
