import { staleVersion } from '../formats/read-only.ts';
import type { Settled } from '../replay.ts';
import { assertStaff } from '../tickets/permissions.ts';
import { retryWhenStale } from './ensure-person.ts';
import type { People } from './people.ts';
import type { Person, PersonRecord } from './person.ts';
import type { ToPersonChanges } from './person-edits.ts';
import { nextPersonRecord } from './person-record.ts';
import type { PersonStore } from './person-store.ts';
import type { Viewer } from './viewer.ts';

/**
 * Corrects what is stored of a person, for staff.
 *
 * @throws {AppError} `not_found`, `forbidden`, `precondition_failed` with the current person, and whatever `toChanges` throws
 */
export type CorrectPerson = (
  viewer: Viewer,
  id: string,
  toChanges: ToPersonChanges,
  precondition: (version: number) => boolean,
) => Promise<Settled<Person>>;

export interface CorrectionDeps {
  people: Pick<People, 'get'>;
  store: PersonStore;
  now: () => Date;
}

export function createCorrections({ people, store, now }: CorrectionDeps): CorrectPerson {
  return (viewer, id, toChanges, precondition) =>
    retryWhenStale(async () => {
      const person = await people.get(viewer, id);
      assertStaff(viewer, 'correct people');
      const before = (await store.find(id)) as PersonRecord;
      if (before.person.version !== person.version) return undefined;
      if (!precondition(person.version)) throw staleVersion(person, 'person');
      const changes = toChanges(person);
      const hasChanged = Object.keys(changes).length > 0;
      const record = hasChanged ? nextPersonRecord(before, changes, now()) : before;
      const isWritten = !hasChanged || (await store.write([{ expectedVersion: person.version, record }]));
      return isWritten ? { answer: record.person, hasChanged, isReplayed: false } : undefined;
    });
}
