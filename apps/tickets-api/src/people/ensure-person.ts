import { AppError } from '@keydesk/http';
import type { Person } from './person.ts';
import { firstPersonRecord, nextPersonRecord } from './person-record.ts';
import type { PersonStore } from './person-store.ts';

/** Of racing writes one succeeds each time. */
const MAX_ATTEMPTS = 20;

/**
 * The person who has the address of `candidate`, who is added when there is none: all racers in any process get the
 * same person. A name is kept where there was none before, and never replaced.
 */
export function ensurePerson(
  store: Pick<PersonStore, 'findByEmail' | 'write'>,
  candidate: { id: string; email: string; name: string | null },
  now: Date,
): Promise<Person> {
  return retryWhenStale(async () => {
    const known = await store.findByEmail(candidate.email);
    if (known && (known.person.name !== null || candidate.name === null)) return known.person;
    const record = known
      ? nextPersonRecord(known, { name: candidate.name }, now)
      : firstPersonRecord(candidate, now);
    const isWritten = await store.write([{ expectedVersion: known?.person.version, record }]);
    return isWritten ? record.person : undefined;
  });
}

/** Repeats an attempt that resolves with `undefined` because another write came first. @throws {AppError} `unavailable` */
export async function retryWhenStale<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new AppError('unavailable', 'Too many changes of this person at once; try again.', {
    headers: { 'Retry-After': '1' },
  });
}
