import { AppError } from '@keydesk/errors';
import { z } from 'zod';
import { invalidMember } from '../../wire/faults/validation-errors.ts';
import { type RepeatableRequest, type RequestRecord, toRequestRecord } from '../commit/idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from '../commit/replay.ts';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import { assertStaff } from '../tickets/permissions.ts';
import { replayProbe } from './correct-person.ts';
import type { MergedTickets } from './merged-tickets.ts';
import { mergedPerson } from './people.ts';
import type { Person, PersonRecord } from './person.ts';
import { nextPersonRecord, toTombstone } from './person-record.ts';
import type { PersonStore, PersonWrite } from './person-store.ts';
import type { Viewer } from './viewer.ts';

/** Body of `POST /person/{id}/merge`. */
export const mergeSchema = z.strictObject({
  person_id: z
    .uuid()
    .toLowerCase()
    .describe('Person to merge into the one in the path; afterwards, this id returns 404'),
});

export interface MergeDeps {
  people: PersonStore;
  tickets: MergedTickets;
  now: () => Date;
  /** Maximum time in milliseconds that a request spends on moving tickets. */
  limitMs?: number | undefined;
}

/** Result of a merge. */
export interface MergeOutcome extends ChangeResult<Person> {
  /** Whether all tickets are moved; housekeeping moves the others. */
  isFinished: boolean;
}

/**
 * Merges one person into another. One transaction moves addresses and accounts, and copies the members that the
 * survivor lacks. Each ticket that refers to the merged person is then rewritten with an event: by this request while
 * its time lasts, then by housekeeping. A repeated request gets the first answer.
 *
 * @throws {AppError} `forbidden`, `not_found`, `validation_failed` when the other person can't be merged,
 * `idempotency_mismatch`
 */
export type MergePeople = (
  viewer: Viewer,
  ids: { id: string; otherId: string },
  requests?: readonly RepeatableRequest[],
) => Promise<MergeOutcome>;

const MAX_NOTES = 10_000;
/** Half the response timeout of many clients and proxies. */
const LIMIT_MS = 15_000;

export function createMerge({ people, tickets, now, limitMs = LIMIT_MS }: MergeDeps): MergePeople {
  async function attempt(
    viewer: Viewer,
    { id, otherId }: { id: string; otherId: string },
    records: readonly RequestRecord[],
  ): Promise<ChangeResult<Person> | undefined> {
    assertStaff(viewer, 'merge people');
    const pair = toMergeable(id, await people.find(id), await people.find(otherId));
    const plan = planMerge(pair, viewer, now());
    const hasChanged = pair.other.mergedInto !== id;
    const result = { answer: plan.survivor.person, hasChanged, isReplayed: false };
    const request = toRecordedRequest(records, result, null);
    if (plan.writes.length === 0 && !request) return result;
    return toChangeResult(await people.commit(plan.writes, request), result);
  }

  /** Moves tickets for a limited time; resolves with whether all of them are moved. */
  async function moveTickets(otherId: string): Promise<boolean> {
    const until = performance.now() + limitMs;
    const canContinue = () => performance.now() < until;
    const tombstone = await people.find(otherId);
    if (!tombstone?.pendingMerge) return true;
    return (
      (await tickets.moveIndexed(tombstone, canContinue)) && (await tickets.moveAll(tombstone, canContinue))
    );
  }

  return async (viewer, ids, requests = []) => {
    const records = requests.map((request) => toRequestRecord(request, now()));
    const result = await retryWhenStale('person', () =>
      replayIfRecorded(
        () => attempt(viewer, ids, records),
        records,
        (request) => people.commit([replayProbe], request),
      ),
    );
    return { ...result, isFinished: await moveTickets(ids.otherId) };
  };
}

interface Pair {
  survivor: PersonRecord;
  other: PersonRecord;
}

/**
 * Checks that two people can be merged.
 *
 * @throws {AppError} `not_found` without a survivor; `validation_failed` if the other person does not exist, is the
 * survivor, or was merged into a third
 */
function toMergeable(id: string, survivor: PersonRecord | undefined, other: PersonRecord | undefined): Pair {
  if (!survivor) throw new AppError('not_found', 'There is no person with this id.');
  if (survivor.mergedInto !== undefined) throw mergedPerson(survivor.mergedInto);
  const isFree = other?.mergedInto === undefined || other.mergedInto === id;
  if (other && isFree && other.person.id !== id) return { survivor, other };
  const message = 'must be the id of another, unmerged person';
  throw invalidMember('person_id', message);
}

interface MergePlan {
  survivor: PersonRecord;
  writes: readonly PersonWrite[];
}

/** Returns the records to write; none if the other person was merged into the survivor before. */
function planMerge({ survivor, other }: Pair, viewer: Viewer, now: Date): MergePlan {
  const by = { personId: viewer.person?.id ?? null, clientId: viewer.clientId };
  const { id } = survivor.person;
  if (other.mergedInto === id) return { survivor, writes: [] };
  const tombstone = toTombstone(other, id, now, by);
  const write = { expectedVersion: other.person.version, record: tombstone };
  const filled = toFilled(survivor, other, now);
  return { survivor: filled, writes: [{ expectedVersion: survivor.person.version, record: filled }, write] };
}

/** Returns the survivor, with missing members filled in from the other person. */
function toFilled(survivor: PersonRecord, other: PersonRecord, now: Date): PersonRecord {
  const { person } = survivor;
  return nextPersonRecord(
    survivor,
    {
      addresses: [...person.addresses, ...other.person.addresses],
      identities: [...survivor.identities, ...other.identities],
      claimsAt: Math.max(survivor.claimsAt, other.claimsAt),
      name: person.name ?? other.person.name,
      phone: person.phone ?? other.person.phone,
      language: person.language ?? other.person.language,
      time_zone: person.time_zone ?? other.person.time_zone,
      notes:
        [person.notes, other.person.notes]
          .filter((notes) => notes !== null)
          .join('\n\n')
          .slice(0, MAX_NOTES) || null,
      external_id: person.external_id ?? other.person.external_id,
      role: person.role ?? other.person.role,
      absorbed: other,
    },
    now,
  );
}
