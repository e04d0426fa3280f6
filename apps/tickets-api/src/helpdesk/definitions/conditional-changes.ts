import { isDeepStrictEqual } from 'node:util';
import { toChangeTime } from '../commit/change-time.ts';
import { type RepeatableRequest, toRequestRecord } from '../commit/idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from '../commit/replay.ts';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import type { CommitOutcome, RecordedRequest } from '../commit/ticket-commit.ts';
import type { AuditedWrite } from '../history/audited-write.ts';
import { type DefinitionChange, toDefinitionEvent } from '../history/definition-event.ts';
import type { ChangeAuthor, Viewer } from '../people/viewer.ts';

/** Change of a resource that a viewer requests. */
export interface ResourceChange<Resource, Id = string> {
  viewer: Viewer;
  id: Id;
  /** Whether the stored version is the one that the viewer wants to change. */
  precondition: (current: Resource) => boolean;
  requests: readonly RepeatableRequest[];
}

/** Members of every definition: of custom fields, statuses, types and priorities. */
export interface Versioned {
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

export interface ConditionalChangesDeps<Resource extends Versioned> {
  /** Noun for a resource in texts. */
  what: string;
  /** Replaces the current resource, or removes it when `next` is `undefined`. */
  write(current: Resource, next: Resource | undefined, audited: AuditedWrite): Promise<CommitOutcome>;
  /** Returns `stale`, unless the request was committed earlier. */
  writeNothing(request: RecordedRequest): Promise<CommitOutcome>;
  /** Called after each write, whether it succeeded or not. */
  invalidate: () => void;
  /** Returns the change as its event describes it. */
  describe: (before: Resource | undefined, after: Resource | undefined) => DefinitionChange;
  now: () => Date;
  newId: () => string;
}

/** The sender of a request. */
export interface RequestOrigin {
  by: ChangeAuthor;
  requests: readonly RepeatableRequest[] | undefined;
}

/** Outcome of a decision: the next resource, or `undefined` to remove it, and the answer. */
export interface Decision<Resource, Answer> {
  current: Resource;
  next: Resource | undefined;
  answer: Answer;
}

/** Conditional changes of resources that are few and rarely change, such as definitions. */
export interface ConditionalChanges<Resource> {
  /**
   * Writes the decision of `decide` with its event, and calls `decide` again when a concurrent change commits first. A
   * decision whose `next` is the `current` resource is a no-op. A repeated request gets the first answer.
   *
   * @throws {AppError} `idempotency_mismatch`, `unavailable`, and the errors of `decide`
   */
  commitChange<Answer>(
    origin: RequestOrigin,
    decide: () => Promise<Decision<Resource, Answer>>,
  ): Promise<ChangeResult<Answer>>;
  /** Adds a resource with its event, or replays the request. */
  add<Answer>(
    origin: RequestOrigin,
    added: { resource: Resource; answer: Answer },
    write: (audited: AuditedWrite) => Promise<CommitOutcome>,
  ): Promise<ChangeResult<Answer>>;
}

export function createConditionalChanges<Resource extends Versioned>({
  what,
  write,
  writeNothing,
  invalidate,
  describe,
  now,
  newId,
}: ConditionalChangesDeps<Resource>): ConditionalChanges<Resource> {
  async function commit(run: () => Promise<CommitOutcome>): Promise<CommitOutcome> {
    try {
      return await run();
    } finally {
      invalidate();
    }
  }

  function toEvent(by: ChangeAuthor, before: Resource | undefined, after: Resource | undefined) {
    return toDefinitionEvent(describe(before, after), { by, now: now(), newId });
  }

  return {
    commitChange({ by, requests = [] }, decide) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const attempt = async () => {
        const { current, next, answer } = await decide();
        const result = { answer, hasChanged: next !== current, isReplayed: false };
        const request = toRecordedRequest(records, result, null);
        if (!result.hasChanged && !request) return result;
        const event = result.hasChanged ? toEvent(by, current, next) : undefined;
        return toChangeResult(await commit(() => write(current, next, { event, request })), result);
      };
      return retryWhenStale(what, () => replayIfRecorded(attempt, records, writeNothing));
    },
    async add({ by, requests = [] }, { resource, answer }, run) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const added = { answer, hasChanged: true, isReplayed: false };
      const audited = {
        event: toEvent(by, undefined, resource),
        request: toRecordedRequest(records, added, null),
      };
      return toChangeResult(await commit(() => run(audited)), added) ?? added;
    },
  };
}

/** Returns the next version of a resource with changed members, or the same one when nothing differs. */
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
