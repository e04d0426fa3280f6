import { type Body, createInputParser } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly, staleVersion } from '../../wire/schema/read-only.ts';
import { type RepeatableRequest, toRequestRecord } from '../commit/idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from '../commit/replay.ts';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import { assertStaff, pickDifferent } from '../tickets/permissions.ts';
import type { People } from './people.ts';
import {
  type Person,
  type PersonContent,
  type PersonEdit,
  type PersonRecord,
  personContentSchema,
  personEditSchema,
} from './person.ts';
import { firstPersonRecord, nextPersonRecord } from './person-record.ts';
import type { PersonStore, PersonWrite } from './person-store.ts';
import type { Viewer } from './viewer.ts';

/** Computes the requested changes from the current person. */
export type ToPersonChanges = (current: Person) => Partial<PersonContent>;

const readOnly = createReadOnly<Person>({
  what: 'person',
  immutable: ['id', 'created_at'],
  serverManaged: ['email', 'addresses', 'role'],
});

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parsePersonEdit: (body: Body) => PersonEdit = createInputParser(personEditSchema);

const parseContent = createInputParser(personContentSchema);

/**
 * Returns the changes that a `PUT` requests. @throws {AppError} `precondition_failed`, `validation_failed` for a
 * read-only member
 */
export function toPersonChanges(current: Person, edit: PersonEdit): Partial<PersonContent> {
  const written = readOnly.checkAndPick(current, edit);
  return pickDifferent(written as Partial<PersonContent>, current);
}

/**
 * Returns the changes that a merge patch requests (RFC 7396); null removes a value. @throws {AppError} as
 * `toPersonChanges`
 */
export function toPatchedPersonChanges(current: Person, patch: JsonObject): Partial<PersonContent> {
  const written = readOnly.checkAndPick(current, patch);
  const value = patchMembers(readOnly.pickWritable(current), written);
  return pickDifferent(parseContent({ format: 'json', value }), current);
}

/**
 * Corrects the stored data of a person; staff only. A repeated request gets the first answer.
 *
 * @throws {AppError} `not_found`, `forbidden`, `precondition_failed` with the current person, `idempotency_mismatch`,
 * and the errors of `toChanges`
 */
export type CorrectPerson = (
  viewer: Viewer,
  id: string,
  toChanges: ToPersonChanges,
  precondition: (version: number) => boolean,
  requests?: readonly RepeatableRequest[],
) => Promise<ChangeResult<Person>>;

export interface CorrectionDeps {
  people: Pick<People, 'get'>;
  store: PersonStore;
  now: () => Date;
}

export function createCorrections({ people, store, now }: CorrectionDeps): CorrectPerson {
  return (viewer, id, toChanges, precondition, requests = []) => {
    const records = requests.map((request) => toRequestRecord(request, now()));
    const attempt = async () => {
      const person = await people.get(viewer, id);
      assertStaff(viewer, 'correct people');
      const before = (await store.find(id)) as PersonRecord;
      const expectedVersion = person.version;
      if (before.person.version !== expectedVersion) return undefined;
      if (!precondition(expectedVersion)) throw staleVersion(person, 'person');
      const changes = toChanges(person);
      const hasChanged = Object.keys(changes).length > 0;
      const record = hasChanged ? nextPersonRecord(before, changes, now()) : before;
      const result = { answer: record.person, hasChanged, isReplayed: false };
      const request = toRecordedRequest(records, result, null);
      if (!hasChanged && !request) return result;
      // A no-op is recorded only while the person is still at this version.
      return toChangeResult(await store.commit([{ expectedVersion, record }], request), result);
    };
    return retryWhenStale('person', () =>
      replayIfRecorded(attempt, records, (request) => store.commit([replayProbe], request)),
    );
  };
}

/**
 * Write that is always stale, because versions count from 1. A commit of it replays a recorded request and stores
 * nothing.
 */
export const replayProbe: PersonWrite = {
  expectedVersion: 0,
  record: firstPersonRecord(
    { id: '00000000-0000-7000-8000-000000000000', email: null, name: null },
    new Date(0),
  ),
};
