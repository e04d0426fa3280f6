import { staleVersion } from '../../wire/read-only.ts';
import { type RepeatableRequest, toRequestRecord } from '../commit/idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from '../commit/replay.ts';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import { assertStaff } from '../tickets/permissions.ts';
import type { People } from './people.ts';
import type { Person, PersonRecord } from './person.ts';
import type { ToPersonChanges } from './person-edits.ts';
import { firstPersonRecord, nextPersonRecord } from './person-record.ts';
import type { PersonStore, PersonWrite } from './person-store.ts';
import type { Viewer } from './viewer.ts';

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
