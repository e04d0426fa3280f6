import { toChangeTime } from '../commit/change-time.ts';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import {
  type Identity,
  isStaffRole,
  type PendingMerge,
  type Person,
  type PersonContent,
  type PersonRecord,
  personContentSchema,
} from './person.ts';
import type { PersonStore } from './person-store.ts';

/** Members of a person of whom only the address is stored. */
export const noContent: PersonContent = Object.freeze(personContentSchema.parse({}));

/** Members of a new person. */
export interface NewPerson extends Pick<Person, 'id' | 'email' | 'name'> {
  role?: Person['role'];
  identities?: readonly Identity[];
  claimsAt?: number;
}

/** Creates the first version of a person, from an address or a sign-in. */
export function firstPersonRecord(
  { id, email, name, role = null, identities = [], claimsAt = 0 }: NewPerson,
  now: Date,
): PersonRecord {
  const at = now.toISOString();
  const addresses = email === null ? [] : [email];
  const times = { created_at: at, updated_at: at };
  const person = { id, email, addresses, ...noContent, name, role, ...times, version: 1 };
  const staff = isStaffRole(role) && ({ hasBeenStaff: true } as const);
  return Object.freeze({ person: Object.freeze(person), identities, claimsAt, ...staff });
}

/** Changed members of a person. */
export interface PersonChanges extends Partial<PersonContent & Pick<Person, 'addresses' | 'role'>> {
  identities?: readonly Identity[];
  claimsAt?: number;
  /** Another person, whose tickets move to this one. */
  absorbed?: PersonRecord | undefined;
}

/** Returns the next version of a person. */
export function nextPersonRecord(
  { person, ...record }: PersonRecord,
  { identities = record.identities, claimsAt = record.claimsAt, absorbed, ...changes }: PersonChanges,
  now: Date,
): PersonRecord {
  const { created_at: createdAt, updated_at, version } = person;
  const addresses = changes.addresses ?? person.addresses;
  const next = {
    ...person,
    ...changes,
    addresses,
    email: addresses[0] ?? null,
    updated_at: toChangeTime(updated_at, { createdAt, now }),
    version: version + 1,
  };
  const staff = toStaffMembers({ ...record, person: next }, absorbed, now);
  return Object.freeze({ ...record, person: Object.freeze(next), identities, claimsAt, ...staff });
}

/**
 * Returns the marks of a staff member. Masking of existing tickets becomes pending when the role or the tickets are
 * new.
 */
function toStaffMembers(
  { person, hasBeenStaff }: Pick<PersonRecord, 'person' | 'hasBeenStaff'>,
  absorbed: PersonRecord | undefined,
  now: Date,
): Pick<PersonRecord, 'hasBeenStaff' | 'maskingSince'> {
  if (!hasBeenStaff && !absorbed?.hasBeenStaff && !isStaffRole(person.role)) return {};
  const isDue = !hasBeenStaff || absorbed !== undefined;
  return { hasBeenStaff: true, ...(isDue && { maskingSince: now.getTime() }) };
}

/** Returns the record that remains of a merged person. It keeps the id, because requests may still contain it. */
export function toTombstone(
  record: PersonRecord,
  mergedInto: string,
  now: Date,
  by: Omit<PendingMerge, 'since'> = { personId: null, clientId: null },
): PersonRecord {
  const nothing = { ...noContent, addresses: [], identities: [], role: null };
  const pendingMerge = { since: now.getTime(), ...by };
  const next = toMasked(nextPersonRecord(record, nothing, now));
  return Object.freeze({ ...next, mergedInto, pendingMerge });
}

/** Returns the same version of a person, without the pending masking. */
export function toMasked({ maskingSince: _, ...record }: PersonRecord): PersonRecord {
  return Object.freeze(record);
}

/** Returns the tombstone without the pending merge. */
export function toFinishedTombstone(tombstone: PersonRecord, now: Date): PersonRecord {
  const { pendingMerge: _, ...record } = nextPersonRecord(tombstone, {}, now);
  return Object.freeze(record);
}

/** Returns the ids of the people who are or were staff. Customers see the names of staff, not their addresses. */
export async function findStaff(
  people: Pick<PersonStore, 'findAll'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await people.findAll([...new Set(ids)]);
  return new Set(found.filter(({ hasBeenStaff }) => hasBeenStaff).map(({ person }) => person.id));
}

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
