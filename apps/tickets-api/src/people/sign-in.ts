import type { Identity, PersonRecord, Role } from './person.ts';
import { firstPersonRecord, nextPersonRecord, toTombstone } from './person-record.ts';
import type { PersonWrite } from './person-store.ts';

/** What an access token says about the account that it was issued to. */
export interface SignIn {
  readonly identity: Identity;
  /** `iat`, in seconds since 1970. */
  readonly issuedAt: number;
  /** Verified by the issuer, in lower case. */
  readonly email: string | undefined;
  readonly name: string | null;
  readonly role: Role;
}

/** The stored people whom a sign-in may change. */
export interface Concerned {
  /** The person of the identity. */
  own: PersonRecord | undefined;
  /** The person who has the address. */
  holder: PersonRecord | undefined;
}

/** Whether a sign-in may change the person whom it is of. A token that is older than the latest change never does. */
export function mayChange({ person, claimsAt }: PersonRecord, signIn: SignIn): boolean {
  if (signIn.issuedAt < claimsAt) return false;
  const { email = person.email, name, role } = signIn;
  return email !== person.email || role !== person.role || (person.name === null && name !== null);
}

/**
 * The writes that a sign-in leads to, that of its own person first; none when everything is stored already.
 *
 * An identity belongs to one person for ever. A person who was only named by an address belongs to the identity that
 * first verifies it; where that has a person already, it is merged into them. Where the address is another identity's, it moves: that person keeps everything else. A customer
 * without a verified address is not added, because they can neither ask nor be answered.
 */
export function planSignIn(
  claims: SignIn,
  { own, holder }: Concerned,
  { now, newId }: { now: Date; newId: () => string },
): readonly PersonWrite[] {
  const email = isHeldSince(claims, { own, holder }) ? undefined : claims.email;
  const signIn = { ...claims, email };
  if (own && !mayChange(own, signIn)) return [];
  const known = findKnown({ own, holder });
  if (!known && email === undefined && signIn.role === 'customer') return [];
  const record = known ? toSignedIn(known, signIn, now) : toNewPerson(signIn, { now, newId });
  const write = { expectedVersion: known?.person.version, record };
  if (email === undefined || !holder || holder.person.id === record.person.id) return [write];
  const other =
    holder.identities.length === 0
      ? toTombstone(holder, record.person.id, now)
      : toWithout(holder, email, now);
  return [write, { expectedVersion: holder.person.version, record: other }];
}

/** Whether the address is another account's by a newer token than this one. */
function isHeldSince({ issuedAt }: SignIn, { own, holder }: Concerned): boolean {
  return holder !== undefined && holder.person.id !== own?.person.id && holder.claimsAt > issuedAt;
}

/** The stored person whom the account belongs to: its own, or one who was only named by the address so far. */
export function findKnown({ own, holder }: Concerned): PersonRecord | undefined {
  return own ?? (holder?.identities.length === 0 ? holder : undefined);
}

function toNewPerson(
  { identity, issuedAt: claimsAt, email, name, role }: SignIn,
  { now, newId }: { now: Date; newId: () => string },
): PersonRecord {
  const members = { id: newId(), email: email ?? null, name, role, identities: [identity], claimsAt };
  return firstPersonRecord(members, now);
}

function toSignedIn(
  known: PersonRecord,
  { identity, issuedAt: claimsAt, email, name, role }: SignIn,
  now: Date,
): PersonRecord {
  const { person, identities } = known;
  const others = person.addresses.filter((address) => address !== email);
  return nextPersonRecord(
    known,
    {
      identities: identities.length > 0 ? identities : [identity],
      claimsAt,
      addresses: email === undefined ? others : [email, ...others],
      name: person.name ?? name,
      role,
    },
    now,
  );
}

function toWithout(holder: PersonRecord, email: string, now: Date): PersonRecord {
  const addresses = holder.person.addresses.filter((address) => address !== email);
  return nextPersonRecord(holder, { addresses }, now);
}
