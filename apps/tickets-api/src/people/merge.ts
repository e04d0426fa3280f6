import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/http';
import { z } from 'zod';
import type { Storage } from '../storage/storage.ts';
import { assertStaff } from '../tickets/permissions.ts';
import { retryWhenStale } from './ensure-person.ts';
import { REMEMBERED_SECONDS } from './memory.ts';
import { mergedPerson } from './people.ts';
import type { Person, PersonRecord } from './person.ts';
import { nextPersonRecord, toTombstone } from './person-record.ts';
import type { Repoint } from './repoint.ts';
import { toDoer, type Viewer } from './viewer.ts';

/** What `POST /person/{id}/merge` takes. */
export const mergeSchema = z.strictObject({
  person_id: z
    .uuid()
    .toLowerCase()
    .describe('The person who is merged into the one of the path, and is no more'),
});

export interface MergeDeps {
  storage: Pick<Storage, 'people' | 'erasure'>;
  repoint: Repoint;
  now: () => Date;
}

/**
 * Merges one person into another: addresses and accounts move in one transaction, what the survivor lacks is taken over,
 * and each ticket that refers to the other is rewritten with an event. A merge that was broken off goes on when it is
 * asked for again.
 *
 * @throws {AppError} `forbidden`, `not_found`, `validation_failed` when the other cannot be merged
 */
export type MergePeople = (viewer: Viewer, id: string, otherId: string) => Promise<Person>;

interface Merged {
  survivor: PersonRecord;
  hadAccount?: boolean;
}

const MARGIN_MS = 200;
const MAX_NOTES = 10_000;
/** How many tickets are looked at at once. */
const BATCH = 500;

export function createMerge(deps: MergeDeps): MergePeople {
  const { people, erasure } = deps.storage;

  function mergeRecords(id: string, otherId: string): Promise<Merged> {
    return retryWhenStale(async () => {
      const [survivor, other] = [await people.find(id), await people.find(otherId)];
      assertMergeable(id, survivor, other);
      if (!other) return undefined;
      if (other.mergedInto === id) return { survivor };
      const merged = toMerged(survivor, other, deps.now());
      const writes = [survivor, other].map(({ person }, i) => ({
        expectedVersion: person.version,
        record: merged[i] as PersonRecord,
      }));
      const isWritten = await people.write(writes);
      return isWritten ? { survivor: merged[0], hadAccount: other.identities.length > 0 } : undefined;
    });
  }

  async function* findTickets(personId: string): AsyncIterable<string> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const scan = await erasure.scan({ email: personId, personId }, { after, limit: BATCH });
      yield* scan.ticketIds;
      after = scan.last;
    }
  }

  return async (viewer, id, otherId) => {
    assertStaff(viewer, 'merge people');
    const { survivor, hadAccount } = await mergeRecords(id, otherId);
    // Until then another process may still take the account for the other person, and add tickets as them.
    if (hadAccount) await sleep(1000 * REMEMBERED_SECONDS + MARGIN_MS);
    await deps.repoint(findTickets(otherId), otherId, survivor.person, toDoer(viewer));
    return survivor.person;
  };
}

/** @throws {AppError} `not_found` without a survivor, `validation_failed` without another who is not merged elsewhere */
function assertMergeable(
  id: string,
  survivor: PersonRecord | undefined,
  other: PersonRecord | undefined,
): asserts survivor is PersonRecord {
  if (!survivor) throw new AppError('not_found', 'There is no person with this id.');
  if (survivor.mergedInto !== undefined) throw mergedPerson(survivor.mergedInto);
  const isFree = other?.mergedInto === undefined || other.mergedInto === id;
  if (other && isFree && other.person.id !== id) return;
  const message = 'must be the id of another person who was not merged yet';
  throw new AppError('validation_failed', 'The data is invalid; see errors.', {
    errors: [{ field: 'person_id', code: 'invalid_value', message }],
  });
}

function toMerged(survivor: PersonRecord, other: PersonRecord, now: Date): [PersonRecord, PersonRecord] {
  const { person } = survivor;
  const filled = nextPersonRecord(
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
    },
    now,
  );
  return [filled, toTombstone(other, person.id, now)];
}
