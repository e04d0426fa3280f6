import { AppError } from '@keydesk/errors';
import { isJsonObject } from '../../wire/schema/json-object.ts';
import { keyReused, type RequestRecord } from './idempotency.ts';
import type { CommitOutcome, RecordedRequest } from './ticket-commit.ts';

/** Result of a change. */
export interface ChangeResult<Answer> {
  answer: Answer;
  /** `false` for a no-op. */
  hasChanged: boolean;
  /** Whether this is the answer of an earlier request with the same key. */
  isReplayed: boolean;
}

/** Returns the request with its answer to store; `undefined` if it cannot be repeated. */
export function toRecordedRequest(
  records: readonly RequestRecord[],
  result: ChangeResult<unknown>,
  ticketId: string | null,
): RecordedRequest | undefined {
  return records.length > 0 ? { records, answer: toStoredAnswer(result), ticketId } : undefined;
}

/**
 * Returns the result of a commit, or the recorded answer of the same request. Returns `undefined` when a version is stale.
 *
 * @throws {AppError} `idempotency_mismatch`, `id_in_use`
 */
export function toChangeResult<Answer>(
  outcome: CommitOutcome,
  result: ChangeResult<Answer>,
): ChangeResult<Answer> | undefined {
  switch (outcome.outcome) {
    case 'committed':
      return result;
    case 'replayed':
      return { ...fromStoredAnswer<Answer>(outcome.answer), isReplayed: true };
    case 'mismatch':
      throw keyReused(outcome.key);
    case 'stale':
      return undefined;
  }
}

/**
 * Runs a change; if that is rejected, returns the recorded answer of the same request if there is one. A repetition may
 * be rejected only because its first attempt succeeded.
 *
 * @param commitNothing commits no change; its outcome is `stale` unless the request was recorded before
 */
export async function replayIfRecorded<Answer>(
  attempt: () => Promise<ChangeResult<Answer> | undefined>,
  records: readonly RequestRecord[],
  commitNothing: (request: RecordedRequest) => Promise<CommitOutcome>,
): Promise<ChangeResult<Answer> | undefined> {
  try {
    return await attempt();
  } catch (err) {
    const isRejection = err instanceof AppError && err.status < 500;
    if (!isRejection || records.length === 0) throw err;
    const nothing = { answer: null as Answer, hasChanged: false, isReplayed: false };
    const first = toChangeResult(await commitNothing({ records, answer: null, ticketId: null }), nothing);
    if (first) return first;
    throw err;
  }
}

/** Converts an answer for storage. The answer of a no-op is wrapped in `unchanged`, a member that no resource has. */
function toStoredAnswer({ answer, hasChanged }: ChangeResult<unknown>): unknown {
  return hasChanged ? answer : { unchanged: answer };
}

function fromStoredAnswer<Answer>(kept: unknown): Pick<ChangeResult<Answer>, 'answer' | 'hasChanged'> {
  const isWrapped = isJsonObject(kept) && 'unchanged' in kept;
  return { answer: (isWrapped ? kept.unchanged : kept) as Answer, hasChanged: !isWrapped };
}
