import { toChangeTime } from '../commit/change-time.ts';
import {
  type Identity,
  isStaffRole,
  type PendingMerge,
  type Person,
  type PersonContent,
  type PersonRecord,
  personContentSchema,
} from './person.ts';

/** What staff know of a person of whom there is nothing but an address. */
export const noContent: PersonContent = Object.freeze(personContentSchema.parse({}));

/** What a new person is known by. */
export interface NewPerson extends Pick<Person, 'id' | 'email' | 'name'> {
  role?: Person['role'];
  identities?: readonly Identity[];
  claimsAt?: number;
}

/** The first version of a person, named by an address or signed in. */
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

/** What of a person changes. */
export interface PersonChanges extends Partial<PersonContent & Pick<Person, 'addresses' | 'role'>> {
  identities?: readonly Identity[];
  claimsAt?: number;
  /** Another person, whose tickets become theirs. */
  absorbed?: PersonRecord | undefined;
}

/** The next version of a person. */
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

/** Addresses of staff are to be masked in tickets that were written before: when the role or the tickets are new. */
function toStaffMembers(
  { person, hasBeenStaff }: Pick<PersonRecord, 'person' | 'hasBeenStaff'>,
  absorbed: PersonRecord | undefined,
  now: Date,
): Pick<PersonRecord, 'hasBeenStaff' | 'maskingSince'> {
  if (!hasBeenStaff && !absorbed?.hasBeenStaff && !isStaffRole(person.role)) return {};
  const isDue = !hasBeenStaff || absorbed !== undefined;
  return { hasBeenStaff: true, ...(isDue && { maskingSince: now.getTime() }) };
}

/**
 * A stored person with the members that an earlier version did not store, always in the same order: entity tags are digests
 * of it.
 */
export function toPresentRecord({ person, ...record }: PersonRecord): PersonRecord {
  const { id, email, addresses, ...others } = person;
  return { ...record, person: { id, email, addresses, ...noContent, ...others } };
}

/** What is left of a person in whose place there is another one: the id, which may still be named. */
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

/** The same version of a person whose addresses customers see nowhere any more. */
export function toMasked({ maskingSince: _, ...record }: PersonRecord): PersonRecord {
  return Object.freeze(record);
}

/** The same tombstone, to which no ticket refers any more. */
export function toFinishedTombstone(tombstone: PersonRecord, now: Date): PersonRecord {
  const { pendingMerge: _, ...record } = nextPersonRecord(tombstone, {}, now);
  return Object.freeze(record);
}
