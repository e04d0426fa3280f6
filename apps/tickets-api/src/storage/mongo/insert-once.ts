import { AppError } from '@keydesk/http';
import type { ClientSession, Model } from 'mongoose';
import type { Insertion, RequestRecord } from '../../idempotency.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { RequestRecordDocument } from './request-records.ts';

/**
 * Calls `insert` in the transaction that records the request, unless the record tells that it was done before. Racers
 * with one key meet at its record: MongoDB lets one pass, and the others try again until they read what it has made.
 *
 * @throws {AppError} `conflict` when another request with this key is in flight for too long
 */
export type InsertOnce = <Resource>(
  request: RequestRecord,
  resource: Resource,
  insert: (session: ClientSession) => Promise<void>,
) => Promise<Insertion<Resource>>;

const PATIENCE_MS = 2_000;

export function createInsertOnce(records: Model<RequestRecordDocument>): InsertOnce {
  return (request, resource, insert) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    const byKey = { _id: { $eq: request.key } };
    return records.db.transaction(
      async (session) => {
        if (performance.now() > giveUpAt) throw stillInFlight();
        const first = await records.findOne(byKey, null, { session }).lean();
        if (first && first.expires_at.getTime() > request.at) return toInsertion(first, request);
        await insert(session);
        await records.replaceOne(byKey, toMembers(request, resource), { upsert: true, session });
        return { outcome: 'inserted', resource };
      },
      { readConcern: { level: 'snapshot' } },
    );
  };
}

function toMembers({ fingerprint, expiresAt }: RequestRecord, resource: unknown) {
  return { fingerprint, expires_at: new Date(expiresAt), resource: JSON.stringify(resource) };
}

function toInsertion<Resource>(
  first: RequestRecordDocument,
  { fingerprint }: RequestRecord,
): Insertion<Resource> {
  if (first.fingerprint !== fingerprint) return { outcome: 'mismatch' };
  return { outcome: 'replayed', resource: deepFreeze(JSON.parse(first.resource)) };
}

function stillInFlight(): AppError {
  return new AppError('conflict', 'A request with this Idempotency-Key is still in flight; try again.', {
    headers: { 'Retry-After': '1' },
  });
}
