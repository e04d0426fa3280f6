import { isDeepStrictEqual } from 'node:util';
import { staleVersion } from '../wire/schema/read-only.ts';
import { toChangeTime } from './commit/change-time.ts';
import { type RepeatableRequest, toRequestRecord } from './commit/idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from './commit/replay.ts';
import { retryWhenStale } from './commit/retry-when-stale.ts';
import type { CommitOutcome, RecordedRequest } from './commit/ticket-commit.ts';
import type { AuditedWrite } from './history/audited-write.ts';
import { type DefinitionChange, toDefinitionEvent } from './history/definition-event.ts';
import { toChangeAuthor, type Viewer } from './people/viewer.ts';

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

export interface VersionedResourceDeps<Resource extends Versioned> {
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

/** Current state of a resource. */
export interface CurrentState<Resource, View> {
  current: Resource;
  /** Returns the resource, or its next version, as it is sent. */
  toView(resource: Resource): View;
}

/** Conditional changes of resources that are few and rarely change, such as definitions. */
export interface VersionedResource<Resource> {
  /**
   * Changes a resource and writes its event. Loads the state and decides again when a concurrent change commits first.
   * A repeated request gets the first answer.
   *
   * @param load reads the state and checks that the viewer may change it
   * @param toNext returns the next version, the current one for a no-op, or `undefined` to remove the resource
   * @returns the view after the change; of a removed resource the last one
   * @throws {AppError} `precondition_failed`, `idempotency_mismatch`, `unavailable`, and the errors of `load` and `toNext`
   */
  change<View extends { version: number }, State extends CurrentState<Resource, View>>(
    change: Omit<ResourceChange<View, unknown>, 'id'>,
    load: () => Promise<State>,
    toNext: (state: State, view: View) => Resource | undefined,
  ): Promise<ChangeResult<View>>;
  /** Adds a resource with its event, or replays the request. */
  add<View>(
    origin: { viewer: Viewer; requests: readonly RepeatableRequest[] | undefined },
    added: { resource: Resource; answer: View },
    write: (audited: AuditedWrite) => Promise<CommitOutcome>,
  ): Promise<ChangeResult<View>>;
}

export function createVersionedResource<Resource extends Versioned>({
  what,
  write,
  writeNothing,
  invalidate,
  describe,
  now,
  newId,
}: VersionedResourceDeps<Resource>): VersionedResource<Resource> {
  async function commit(run: () => Promise<CommitOutcome>): Promise<CommitOutcome> {
    try {
      return await run();
    } finally {
      invalidate();
    }
  }

  function toEvent(viewer: Viewer, before: Resource | undefined, after: Resource | undefined) {
    return toDefinitionEvent(describe(before, after), { by: toChangeAuthor(viewer), now: now(), newId });
  }

  return {
    change({ viewer, precondition, requests }, load, toNext) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const attempt = async () => {
        const state = await load();
        const { current } = state;
        const view = state.toView(current);
        if (!precondition(view)) throw staleVersion(view, what);
        const next = toNext(state, view);
        const hasChanged = next !== current;
        const answer = next && hasChanged ? state.toView(next) : view;
        const result = { answer, hasChanged, isReplayed: false };
        const request = toRecordedRequest(records, result, null);
        if (!hasChanged && !request) return result;
        const event = hasChanged ? toEvent(viewer, current, next) : undefined;
        return toChangeResult(await commit(() => write(current, next, { event, request })), result);
      };
      return retryWhenStale(what, () => replayIfRecorded(attempt, records, writeNothing));
    },
    async add({ viewer, requests = [] }, { resource, answer }, run) {
      const records = requests.map((request) => toRequestRecord(request, now()));
      const added = { answer, hasChanged: true, isReplayed: false };
      const event = toEvent(viewer, undefined, resource);
      const request = toRecordedRequest(records, added, null);
      return toChangeResult(await commit(() => run({ event, request })), added) ?? added;
    },
  };
}

/** Returns the next version of a resource with changed members, or the same version when nothing differs. */
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
