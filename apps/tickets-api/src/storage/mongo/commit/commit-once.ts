import { AppError } from '@keydesk/server';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { type ClientSession, type Connection, type Model, trusted } from 'mongoose';
import { requestInFlight } from '../../../helpdesk/commit/idempotency.ts';
import type { CommitOutcome, RecordedRequest } from '../../../helpdesk/commit/ticket-commit.ts';
import type { AuditedWrite } from '../../../helpdesk/history/audited-write.ts';
import { type EventDocument, toEventDocument } from './events.ts';

/**
 * Runs `write` and records the request in one transaction, unless it was recorded before. If `write` resolves to
 * `false`, nothing is written. For changes that are rare or affect one document; those of tickets share transactions
 * (`createCommitGroups`).
 *
 * @throws {AppError} `conflict` when another request with the key is in flight for too long; `unavailable` when other
 *   transactions take precedence for too long
 */
export type CommitOnce = (
  request: RecordedRequest | undefined,
  write: (session: ClientSession) => Promise<boolean>,
) => Promise<CommitOutcome>;

const PATIENCE_WITH_KEY_MS = 2_000;
export const RETRY_LIMIT_MS = 10_000;

export function createCommitOnce(records: Model<RequestRecordDocument>): CommitOnce {
  const transactions = createTransactions(records.db, { retryLimitMs: RETRY_LIMIT_MS });
  return (request, write) => {
    const startedAt = performance.now();
    const requests = request ? [request] : [];
    let isAtKey = false;
    return transactions.run(async (session): Promise<CommitOutcome> => {
      requirePatience(performance.now() - startedAt, isAtKey);
      isAtKey = request !== undefined;
      const [first] = await findFirst(records, requests, session);
      if (first) return first;
      await writeRecords(records, requests, session);
      isAtKey = false;
      if (await write(session)) return { outcome: 'committed' };
      await session.abortTransaction();
      return { outcome: 'stale' };
    });
  };
}

/** Returns the recorded outcome of each request; `undefined` for a new one. */
export async function findFirst(
  records: Model<RequestRecordDocument>,
  requests: readonly (RecordedRequest | undefined)[],
  session: ClientSession,
): Promise<(CommitOutcome | undefined)[]> {
  const keys = requests.flatMap((request) => request?.records.map(({ key }) => key) ?? []);
  if (keys.length === 0) return requests.map(() => undefined);
  const found = await records.find({ _id: trusted({ $in: keys }) }, null, { session }).lean();
  const byKey = new Map(found.map((record) => [record._id, record]));
  return requests.map((request) => {
    for (const { key, fingerprint, at } of request?.records ?? []) {
      const first = byKey.get(key);
      if (first && first.expires_at.getTime() > at) return toOutcome(first, fingerprint);
    }
    return undefined;
  });
}

/** Records requests. A concurrent transaction with one of their keys is a conflict. */
export async function writeRecords(
  records: Model<RequestRecordDocument>,
  requests: readonly RecordedRequest[],
  session: ClientSession,
): Promise<void> {
  const writes = requests.flatMap(({ records: requestRecords, answer, ticketId }) =>
    requestRecords.map(({ key, fingerprint, expiresAt }) => {
      const members = { fingerprint, expires_at: new Date(expiresAt), answer: JSON.stringify(answer) };
      const replacement = { ...members, ticket_id: ticketId };
      return { replaceOne: { filter: { _id: { $eq: key } }, replacement, upsert: true } };
    }),
  );
  if (writes.length > 0) await records.bulkWrite(writes, { session });
}

function toOutcome(first: RequestRecordDocument, fingerprint: string): CommitOutcome {
  if (first.fingerprint !== fingerprint) return { outcome: 'mismatch', key: first._id };
  return { outcome: 'replayed', answer: deepFreeze<unknown>(JSON.parse(first.answer)) };
}

/** @throws {AppError} when a commit has waited too long because of its key or of other transactions */
export function requirePatience(elapsed: number, isAtKey: boolean): void {
  if (isAtKey && elapsed > PATIENCE_WITH_KEY_MS) throw requestInFlight();
  if (elapsed > RETRY_LIMIT_MS) throw tooManyCommits();
}

function tooManyCommits(): AppError {
  return new AppError('unavailable', 'Too many concurrent changes; try again shortly.', {
    retryAfterSeconds: 1,
  });
}

/** Calls `write` in one transaction with the event and the records of the request, as `CommitOnce` does. */
export type CommitAudited = (
  audited: AuditedWrite | undefined,
  write: (session: ClientSession) => Promise<boolean>,
) => Promise<CommitOutcome>;

export function createCommitAudited({
  events,
  records,
}: {
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
}): CommitAudited {
  const commitOnce = createCommitOnce(records);
  return ({ event, request } = {}, write) =>
    guardMongo(() =>
      commitOnce(request, async (session) => {
        if (!(await write(session))) return false;
        if (event) await events.insertMany([toEventDocument(event)], { session });
        return true;
      }),
    );
}

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
