import { AppError } from '@keydesk/errors';
import { LRUCache } from 'lru-cache';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import type { MaskAtSignIn } from './masking.ts';
import type { AdoptTickets } from './merged-tickets.ts';
import type { PersonRecord } from './person.ts';
import type { PersonStore, PersonWrite } from './person-store.ts';
import { type AffectedPeople, findKnown, mayChange, planSignIn, type SignIn } from './sign-in.ts';

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
    return { own, holder: isSettled ? undefined : await store.findByEmail(claims.email ?? '') };
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
