import { AppError } from '@keydesk/server';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import type { ClientSession, Model } from 'mongoose';
import { requestInFlight } from '../../helpdesk/commit/idempotency.ts';
import type { CommitOutcome, RecordedRequest } from '../../helpdesk/commit/ticket-commit.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { RequestRecordDocument } from './request-records.ts';
import { createSerialQueue } from './serial-queue.ts';

/**
 * Runs `write` and records the request in one transaction, unless it was recorded before. If `write` resolves to `false`,
 * nothing is written. All commits contend for the feed of staff, where MongoDB lets one pass and the others retry. Commits of
 * one process are queued, so that they only contend with other processes.
 *
 * @throws {AppError} `conflict` when another request with the key is in flight for too long; `unavailable` when other
 *   transactions take precedence for too long
 */
export type CommitOnce = (
  request: RecordedRequest | undefined,
  write: (session: ClientSession) => Promise<boolean>,
) => Promise<CommitOutcome>;

const PATIENCE_WITH_KEY_MS = 2_000;
const PATIENCE_MS = 10_000;

export function createCommitOnce(records: Model<RequestRecordDocument>): CommitOnce {
  const runSerially = createSerialQueue();
  const transactions = createTransactions(records.db, { retryLimitMs: PATIENCE_MS });

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
  if (elapsed > PATIENCE_MS) throw tooManyCommits();
}

function tooManyCommits(): AppError {
  return new AppError('unavailable', 'Too many concurrent changes; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });
}
