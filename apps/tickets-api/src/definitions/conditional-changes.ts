import { isDeepStrictEqual } from 'node:util';
import { type RepeatableRequest, toRequestRecord } from '../idempotency.ts';
import { orFirst, type Settled, toRecorded, toSettled } from '../replay.ts';
import { retryWhenStale } from '../retry-when-stale.ts';
import { toChangeTime } from '../tickets/change-time.ts';
import type { CommitOutcome, RecordedRequest } from '../tickets/ticket-commit.ts';

/** Members of every definition: of custom fields, statuses, types and priorities. */
export interface Versioned {
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

export interface ConditionalChangesDeps<Resource extends Versioned> {
  /** The noun for a resource, in texts. */
  what: string;
  /** Replaces the current resource, or removes it where there is no next one. */
  write(
    current: Resource,
    next: Resource | undefined,
    request: RecordedRequest | undefined,
  ): Promise<CommitOutcome>;
  /** Is stale, unless the request was committed before. */
  writeNothing(request: RecordedRequest): Promise<CommitOutcome>;
  /** Called after each write, whatever became of it. */
  forget: () => void;
  now: () => Date;
}

/** The outcome of a decision about a resource: the next one, or `undefined` to remove it, and what is answered. */
export interface Decision<Resource, Answer> {
  current: Resource;
  next: Resource | undefined;
  answer: Answer;
}

/** Changes of resources that are few and rarely change, such as definitions. */
export interface ConditionalChanges<Resource> {
  /**
   * Writes what `decide` decides, which is asked again when another change comes first. The same `next` as `current`
   * changes nothing. A repeated request gets the first answer.
   *
   * @throws {AppError} `idempotency_mismatch`, `unavailable`, and whatever `decide` throws
   */
  settle<Answer>(
    requests: readonly RepeatableRequest[] | undefined,
    decide: () => Promise<Decision<Resource, Answer>>,
  ): Promise<Settled<Answer>>;
  /** Adds a resource, or replays the request. */
  add<Answer>(
    requests: readonly RepeatableRequest[] | undefined,
    answer: Answer,
    write: (request: RecordedRequest | undefined) => Promise<CommitOutcome>,
  ): Promise<Settled<Answer>>;
}

export function createConditionalChanges<Resource extends Versioned>({
  what,
  write,
  writeNothing,
  forget,
  now,
}: ConditionalChangesDeps<Resource>): ConditionalChanges<Resource> {
  async function commit(run: () => Promise<CommitOutcome>): Promise<CommitOutcome> {
    try {
      return await run();
    } finally {
      forget();
    }
  }

  return {
    settle(requests = [], decide) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const attempt = async () => {
        const { current, next, answer } = await decide();
        const settled = { answer, hasChanged: next !== current, isReplayed: false };
        const request = toRecorded(records, settled, null);
        if (!settled.hasChanged && !request) return settled;
        return toSettled(await commit(() => write(current, next, request)), settled);
      };
      return retryWhenStale(what, () => orFirst(attempt, records, writeNothing));
    },
    async add(requests = [], answer, run) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const added = { answer, hasChanged: true, isReplayed: false };
      return toSettled(await commit(() => run(toRecorded(records, added, null))), added) ?? added;
    },
  };
}

/** The next version of a resource with other members; the same one when nothing is different. */
export function nextVersion<Resource extends Versioned>(
  current: Resource,
  members: Partial<Resource>,
  now: Date,
): Resource {
  const next = { ...current, ...members };
  if (isDeepStrictEqual(next, current)) return current;
  const updated_at = toChangeTime(current.updated_at, { createdAt: current.created_at, now });
  return Object.freeze({ ...next, updated_at, version: current.version + 1 });
}
