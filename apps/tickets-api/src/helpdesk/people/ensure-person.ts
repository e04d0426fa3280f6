import { retryWhenStale } from '../commit/retry-when-stale.ts';
import type { Person } from './person.ts';
import { firstPersonRecord, nextPersonRecord } from './person-record.ts';
import type { PersonStore } from './person-store.ts';

/**
 * Returns the person who has the address of `candidate`, and adds them if needed. Concurrent calls in any process get
 * the same person. The name is stored only if the person has no name yet.
 */
export function ensurePerson(
  store: Pick<PersonStore, 'findByEmail' | 'write'>,
  candidate: { id: string; email: string; name: string | null },
  now: Date,
): Promise<Person> {
  return retryWhenStale('person', async () => {
    const known = await store.findByEmail(candidate.email);
    if (known && (known.person.name !== null || candidate.name === null)) return known.person;
    const record = known
      ? nextPersonRecord(known, { name: candidate.name }, now)
      : firstPersonRecord(candidate, now);
    const isWritten = await store.write([{ expectedVersion: known?.person.version, record }]);
    return isWritten ? record.person : undefined;
  });
}
