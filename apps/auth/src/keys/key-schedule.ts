import type { StoredKey } from './key-store.ts';
import type { KeyAlgorithm } from './signing-key.ts';

/**
 * State of a key: `next` is published only, `current` signs, `retired` is published until its last token has expired.
 */
export type KeyState = 'next' | 'current' | 'retired';

export interface KeyTimings {
  /** From publication of a key to its first use; longer than any verifier caches a key set. */
  publicationLeadMs: number;
  /** From the decision to rotate to the take-over; long enough for every process to read it. */
  takeOverLeadMs: number;
  /** From a take-over to removal of the replaced key; longer than any token lives. */
  retentionMs: number;
  /** Maximum age of the current key before automatic rotation; 0 disables it. */
  rotationMs: number;
}

/** Due changes of a key set: the keys to keep and the keys to create. */
export interface KeyPlan {
  keys: readonly StoredKey[];
  missing: readonly Pick<StoredKey, 'algorithm' | 'activeFrom'>[];
}

/** Returns the state of a key at an instant. It depends only on the stored set, so all processes agree. */
export function keyStateOf(key: StoredKey, keys: readonly StoredKey[], now: Date): KeyState {
  const succession = successionOf(key.algorithm, keys);
  const current = currentIndex(succession, now);
  const index = succession.findIndex(({ kid }) => kid === key.kid);
  return index === current ? 'current' : index < current ? 'retired' : 'next';
}

/** Returns when the last token signed by a key has expired; `undefined` for a key without successor. */
export function keyRemovalDateOf(
  key: StoredKey,
  keys: readonly StoredKey[],
  timings: KeyTimings,
): Date | undefined {
  const succession = successionOf(key.algorithm, keys);
  const successor = succession[succession.findIndex(({ kid }) => kid === key.kid) + 1];
  return successor?.activeFrom ? addMs(successor.activeFrom, timings.retentionMs) : undefined;
}

/**
 * Plans the due changes for each algorithm. A first key signs at once, because no verifier has cached another one. One
 * key is always next, an old current key is rotated, and keys without live tokens are removed.
 */
export function planKeys(
  keys: readonly StoredKey[],
  algorithms: readonly KeyAlgorithm[],
  now: Date,
  timings: KeyTimings,
): KeyPlan {
  const plans = algorithms.map((algorithm) =>
    planSuccession(algorithm, successionOf(algorithm, keys), now, timings),
  );
  // Keys of unknown algorithms belong to a newer version, which would only create them again.
  const others = keys.filter(({ algorithm }) => !algorithms.includes(algorithm));
  return {
    keys: [...plans.flatMap((plan) => plan.keys), ...others],
    missing: plans.flatMap((plan) => plan.missing),
  };
}

function planSuccession(
  algorithm: KeyAlgorithm,
  succession: StoredKey[],
  now: Date,
  timings: KeyTimings,
): KeyPlan {
  const live = succession.filter((key) => !isExpired(key, succession, now, timings));
  const first = live.length === 0 ? [{ algorithm, activeFrom: now }] : [];
  const last = live.findLast(({ activeFrom }) => activeFrom !== null)?.activeFrom;
  const isOld = timings.rotationMs > 0 && last && addMs(last, timings.rotationMs) <= now;
  const kept = isOld ? rotateSuccession(live, now, timings) : live;
  const isWaiting = kept.some(({ activeFrom }) => activeFrom === null);
  return { keys: kept, missing: isWaiting ? first : [...first, { algorithm, activeFrom: null }] };
}

function isExpired(
  key: StoredKey,
  succession: readonly StoredKey[],
  now: Date,
  timings: KeyTimings,
): boolean {
  const end = keyRemovalDateOf(key, succession, timings);
  return end !== undefined && end <= now;
}

/** Schedules the next keys: after every process had time to read the set and every verifier to fetch the key. */
export function rotateKeys(keys: readonly StoredKey[], now: Date, timings: KeyTimings): readonly StoredKey[] {
  const algorithms = new Set(keys.map(({ algorithm }) => algorithm));
  return [...algorithms].flatMap((algorithm) =>
    rotateSuccession(successionOf(algorithm, keys), now, timings),
  );
}

function rotateSuccession(succession: readonly StoredKey[], now: Date, timings: KeyTimings): StoredKey[] {
  const waiting = succession.find(({ activeFrom }) => activeFrom === null);
  return succession.map((key) =>
    key === waiting
      ? {
          ...key,
          activeFrom: laterOf(
            addMs(now, timings.takeOverLeadMs),
            addMs(key.createdAt, timings.publicationLeadMs),
          ),
        }
      : key,
  );
}

/**
 * Removes a compromised key at once, whatever it has signed. If it was current, its successor takes over now: a
 * verifier that has not fetched it yet rejects tokens, which is better than trusting an attacker.
 */
export function removeKey(keys: readonly StoredKey[], kid: string, now: Date): readonly StoredKey[] {
  const removed = keys.find((key) => key.kid === kid);
  const kept = keys.filter((key) => key !== removed);
  if (!removed || keyStateOf(removed, keys, now) !== 'current') return kept;
  const succession = successionOf(removed.algorithm, keys);
  const successor = succession[succession.indexOf(removed) + 1];
  return kept.map((key) => (key === successor ? { ...key, activeFrom: now } : key));
}

/** Returns the keys of one algorithm in signing order; keys without a date come last. */
function successionOf(algorithm: KeyAlgorithm, keys: readonly StoredKey[]): StoredKey[] {
  const rank = ({ activeFrom }: StoredKey) => activeFrom?.getTime() ?? Number.POSITIVE_INFINITY;
  return keys
    .filter((key) => key.algorithm === algorithm)
    .sort((a, b) => compare(rank(a), rank(b)) || compare(a.createdAt, b.createdAt) || compare(a.kid, b.kid));
}

/** Returns the last key whose date has passed; with a clock before all dates, the first. */
function currentIndex(succession: readonly StoredKey[], now: Date): number {
  return Math.max(
    0,
    succession.findLastIndex(({ activeFrom }) => activeFrom !== null && activeFrom <= now),
  );
}

function compare<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function addMs(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}

function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}
