import { AppError } from '@keydesk/errors';
import { LRUCache } from 'lru-cache';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import type { MaskAtSignIn } from './masking.ts';
import type { AdoptTickets } from './merged-tickets.ts';
import { type Identity, isStaffRole, type PersonRecord, type Role } from './person.ts';
import { firstPersonRecord, nextPersonRecord, toTombstone } from './person-record.ts';
import type { PersonStore, PersonWrite } from './person-store.ts';

/** Claims of an access token about its account. */
export interface SignIn {
  readonly identity: Identity;
  /** `iat`, in seconds since 1970. */
  readonly issuedAt: number;
  /** Verified address in lower case. */
  readonly email: string | undefined;
  readonly name: string | null;
  readonly role: Role;
}

/** Stored people that a sign-in may change. */
export interface AffectedPeople {
  /** The person of the identity. */
  own: PersonRecord | undefined;
  /** The person who has the address. */
  holder: PersonRecord | undefined;
}

/** Whether a sign-in changes its person. A token that is older than the latest change never does. */
function mayChange({ person, claimsAt, hasBeenStaff }: PersonRecord, signIn: SignIn): boolean {
  if (signIn.issuedAt < claimsAt) return false;
  const { email = person.email, name, role } = signIn;
  const isNewStaff = isStaffRole(role) && !hasBeenStaff;
  const isNewName = person.name === null && name !== null;
  return email !== person.email || role !== person.role || isNewStaff || isNewName;
}

/**
 * Returns the writes of a sign-in, with that of its own person first; empty if nothing is new.
 *
 * An identity belongs to one person forever. A person without an account gets the first identity that verifies their
 * address; if that identity already has a person, the two are merged. An address of another identity moves to this one,
 * and the other person keeps everything else. A customer without a verified address is not added, because they can
 * neither open tickets nor get replies.
 */
function planSignIn(
  claims: SignIn,
  { own, holder }: AffectedPeople,
  { now, newId }: { now: Date; newId: () => string },
): readonly PersonWrite[] {
  const email = isHeldSince(claims, { own, holder }) ? undefined : claims.email;
  const signIn = { ...claims, email };
  if (own && !mayChange(own, signIn)) return [];
  const known = findKnown({ own, holder });
  if (!known && email === undefined && signIn.role === 'customer') return [];
  const other = email !== undefined && holder?.person.id !== known?.person.id ? holder : undefined;
  const absorbed = other?.identities.length === 0 ? other : undefined;
  const record = known ? toSignedIn(known, signIn, { absorbed, now }) : toNewPerson(signIn, { now, newId });
  const write = { expectedVersion: known?.person.version, record };
  if (email === undefined || !other) return [write];
  const changed = absorbed ? toTombstone(other, record.person.id, now) : toWithout(other, email, now);
  return [write, { expectedVersion: other.person.version, record: changed }];
}

function hasIdentity({ identities }: PersonRecord, { issuer, subject }: Identity): boolean {
  return identities.some((each) => each.issuer === issuer && each.subject === subject);
}

/** Whether another account has the address by a newer token. */
function isHeldSince({ issuedAt }: SignIn, { own, holder }: AffectedPeople): boolean {
  return holder !== undefined && holder.person.id !== own?.person.id && holder.claimsAt > issuedAt;
}

/** Returns the stored person of the account, or a person without an account who has its address. */
function findKnown({ own, holder }: AffectedPeople): PersonRecord | undefined {
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
  { absorbed, now }: { absorbed: PersonRecord | undefined; now: Date },
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
      absorbed,
    },
    now,
  );
}

function toWithout(holder: PersonRecord, email: string, now: Date): PersonRecord {
  const addresses = holder.person.addresses.filter((address) => address !== email);
  return nextPersonRecord(holder, { addresses }, now);
}

/**
 * Lifetime of a cached person in seconds. Other processes may change people, so each process may act on a state that is
 * this old.
 */
export const CACHE_SECONDS = 1;
const MAX_CACHED_PEOPLE = 1_000;

export interface SignInsDeps {
  store: PersonStore;
  now: () => Date;
  newId: () => string;
  adopt: AdoptTickets;
  mask: MaskAtSignIn;
}

/**
 * Creates a function that returns the person of an account, and stores new claims of its token. Each process looks an
 * account up at most once a second.
 */
export function createSignIns({
  store,
  now,
  newId,
  adopt,
  mask,
}: SignInsDeps): (claims: SignIn) => Promise<PersonRecord | undefined> {
  const known = new LRUCache<string, PersonRecord>({
    max: MAX_CACHED_PEOPLE,
    ttl: CACHE_SECONDS * 1_000,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
  });

  async function findConcerned(claims: SignIn): Promise<AffectedPeople> {
    const own = await store.findByIdentity(claims.identity);
    const isSettled = claims.email === undefined || (own && !mayChange(own, claims));
    const holder = isSettled ? undefined : await store.findByEmail(claims.email ?? '');
    // Another process may have added the person between both reads.
    return { own: own ?? (holder && hasIdentity(holder, claims.identity) ? holder : undefined), holder };
  }

  /** Stores new claims and returns the person of the account. */
  function signIn(claims: SignIn): Promise<{ record: PersonRecord | undefined }> {
    return retryWhenStale('person', async () => {
      const concerned = await findConcerned(claims);
      const [write, ...others] = planSignIn(claims, concerned, { now: now(), newId });
      if (!write) return { record: concerned.own };
      const isWritten = await store.write([write, ...others]).catch(ignoreUnavailable);
      if (isWritten === undefined) return { record: findKnown(concerned) };
      if (!isWritten) return undefined;
      await adoptAll(others);
      // Housekeeping masks the tickets that can't be masked now.
      if (write.record.maskingSince !== undefined) await mask(write.record).catch(ignoreUnavailable);
      return { record: write.record };
    });
  }

  async function adoptAll(writes: readonly PersonWrite[]): Promise<void> {
    const merged = writes.filter(({ record }) => record.mergedInto !== undefined);
    for (const { record } of merged) await adopt(record);
  }

  return async (claims) => {
    const key = JSON.stringify(claims.identity);
    const remembered = known.get(key);
    if (remembered && !mayChange(remembered, claims)) return remembered;
    const { record } = await signIn(claims);
    if (record) known.set(key, record);
    return record;
  };
}

/** Ignores a read-only database, because users can still read their data. */
function ignoreUnavailable(err: unknown): undefined {
  if (!(err instanceof AppError) || err.code !== 'unavailable') throw err;
}
