import { AppError } from '@keydesk/http';
import { isJsonObject } from './formats/json-object.ts';
import { type RequestRecord, usedOtherwise } from './idempotency.ts';
import type { CommitOutcome, RecordedRequest } from './tickets/ticket-commit.ts';

/** The outcome of a change. */
export interface Settled<Answer> {
  answer: Answer;
  /** `false`: everything was like that already. */
  hasChanged: boolean;
  /** An earlier request did it, and this one nothing. */
  isReplayed: boolean;
}

/** The request with its answer, for a store to keep; `undefined` where it cannot be repeated. */
export function toRecorded(
  records: readonly RequestRecord[],
  settled: Settled<unknown>,
  ticketId: string | null,
): RecordedRequest | undefined {
  return records.length > 0 ? { records, answer: toKept(settled), ticketId } : undefined;
}

/**
 * What became of a change, or what the same request was answered before. Resolves with nothing when a version is stale.
 *
 * @throws {AppError} `idempotency_mismatch`, `id_in_use`
 */
export function toSettled<Answer>(
  outcome: CommitOutcome,
  settled: Settled<Answer>,
): Settled<Answer> | undefined {
  switch (outcome.outcome) {
    case 'committed':
      return settled;
    case 'replayed':
      return { ...fromKept<Answer>(outcome.answer), isReplayed: true };
    case 'mismatch':
      throw usedOtherwise(outcome.key);
    case 'stale':
      return undefined;
  }
}

/**
 * Before a repeated request is refused, its first answer is looked for.
 *
 * @param commitNothing is stale, unless the request was committed before
 */
export async function orFirst<Answer>(
  settle: () => Promise<Settled<Answer> | undefined>,
  records: readonly RequestRecord[],
  commitNothing: (request: RecordedRequest) => Promise<CommitOutcome>,
): Promise<Settled<Answer> | undefined> {
  try {
    return await settle();
  } catch (err) {
    const isRefusal = err instanceof AppError && err.status < 500;
    if (!isRefusal || records.length === 0) throw err;
    const nothing = { answer: null as Answer, hasChanged: false, isReplayed: false };
    const first = toSettled(await commitNothing({ records, answer: null, ticketId: null }), nothing);
    if (first) return first;
    throw err;
  }
}

/** An answer as it is kept for repetitions: one that tells of no change is wrapped, and no resource has such a member. */
function toKept({ answer, hasChanged }: Settled<unknown>): unknown {
  return hasChanged ? answer : { unchanged: answer };
}

function fromKept<Answer>(kept: unknown): Pick<Settled<Answer>, 'answer' | 'hasChanged'> {
  const isWrapped = isJsonObject(kept) && 'unchanged' in kept;
  return { answer: (isWrapped ? kept.unchanged : kept) as Answer, hasChanged: !isWrapped };
}
