import { AppError } from '@keydesk/server';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import type { ClientSession, Connection, Model } from 'mongoose';
import { requestInFlight } from '../../helpdesk/commit/idempotency.ts';
import type { CommitOutcome, RecordedRequest } from '../../helpdesk/commit/ticket-commit.ts';
import type { AuditedWrite } from '../../helpdesk/history/audited-write.ts';
import { createDocumentSchema } from './document-schema.ts';
import { toEventDocument } from './events.ts';
import type { MongoModels } from './schema.ts';

/**
 * Runs `write` and records the request in one transaction, unless it was recorded before. If `write` resolves to
 * `false`, nothing is written. All commits contend for the feed of staff, where MongoDB lets one pass and the others
 * retry. Commits of one process are queued, so that they only contend with other processes.
 *
 * @throws {AppError} `conflict` when another request with the key is in flight for too long; `unavailable` when other
 *   transactions take precedence for too long
 */
export type CommitOnce = (
  request: RecordedRequest | undefined,
  write: (session: ClientSession) => Promise<boolean>,
) => Promise<CommitOutcome>;

const PATIENCE_WITH_KEY_MS = 2_000;
const RETRY_LIMIT_MS = 10_000;

export function createCommitOnce(records: Model<RequestRecordDocument>): CommitOnce {
  const runSerially = createSerialQueue();
  const transactions = createTransactions(records.db, { retryLimitMs: RETRY_LIMIT_MS });

  return (request, write) => {
    const startedAt = performance.now();
    let isAtKey = false;
    const attempt = async (session: ClientSession): Promise<CommitOutcome> => {
      requirePatience(performance.now() - startedAt, isAtKey);
      isAtKey = request !== undefined;
      const first = request && (await replayOrRecord(request, session));
      if (first) return first;
      isAtKey = false;
      if (await write(session)) return { outcome: 'committed' };
      await session.abortTransaction();
      return { outcome: 'stale' };
    };
    return runSerially(() => transactions.run(attempt));
  };

  /** Returns the outcome of the recorded request, or records it. */
  async function replayOrRecord(
    { records: requestRecords, answer, ticketId }: RecordedRequest,
    session: ClientSession,
  ): Promise<CommitOutcome | undefined> {
    for (const { key, fingerprint, at } of requestRecords) {
      const first = await records.findOne({ _id: { $eq: key } }, null, { session }).lean();
      if (first && first.expires_at.getTime() > at) return toOutcome(first, fingerprint);
    }
    for (const { key, fingerprint, expiresAt } of requestRecords) {
      const members = { fingerprint, expires_at: new Date(expiresAt), answer: JSON.stringify(answer) };
      const replacement = { ...members, ticket_id: ticketId };
      await records.replaceOne({ _id: { $eq: key } }, replacement, { upsert: true, session });
    }
    return undefined;
  }
}

function toOutcome(first: RequestRecordDocument, fingerprint: string): CommitOutcome {
  if (first.fingerprint !== fingerprint) return { outcome: 'mismatch', key: first._id };
  return { outcome: 'replayed', answer: deepFreeze<unknown>(JSON.parse(first.answer)) };
}

function requirePatience(elapsed: number, isAtKey: boolean): void {
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
}: Pick<MongoModels, 'events' | 'records'>): CommitAudited {
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

/** Runs operations one at a time, in order, whether they fail or not. */
type RunSerially = <T>(operation: () => Promise<T>) => Promise<T>;

function createSerialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const turn = last.then(operation);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Record of a repeatable request as MongoDB stores it. */
interface RequestRecordDocument {
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
