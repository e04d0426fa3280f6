import type { StoredKey } from './key-store.ts';
import type { KeyAlgorithm } from './signing-key.ts';

/** `next` is published and waits, `current` signs, `retired` is published until its last token is dead. */
export type KeyState = 'next' | 'current' | 'retired';

export interface KeyTimings {
  /** From the publication of a key to its first use: longer than any verifier keeps a key set. */
  publicationLeadMs: number;
  /** From the decision to rotate to the take-over: long enough for every process to have read of it. */
  takeOverLeadMs: number;
  /** From a take-over until the replaced key is dropped: longer than any token lives. */
  retentionMs: number;
  /** Age at which the current key is replaced by itself; 0 for never. */
  rotationMs: number;
}

/** A set as it should be: what is to be kept of it, and which keys are still to be made. */
export interface KeyPlan {
  keys: readonly StoredKey[];
  missing: readonly Pick<StoredKey, 'algorithm' | 'activeFrom'>[];
}

/** What a key is for at an instant; a function of the stored set alone, so that all processes agree. */
export function stateOf(key: StoredKey, keys: readonly StoredKey[], now: Date): KeyState {
  const line = lineOf(key.algorithm, keys);
  const current = currentIndex(line, now);
  const index = line.findIndex(({ kid }) => kid === key.kid);
  return index === current ? 'current' : index < current ? 'retired' : 'next';
}

/** When the last token that a key signed is dead, for a key that has a successor. */
export function endOf(key: StoredKey, keys: readonly StoredKey[], timings: KeyTimings): Date | undefined {
  const line = lineOf(key.algorithm, keys);
  const successor = line[line.findIndex(({ kid }) => kid === key.kid) + 1];
  return successor?.activeFrom ? later(successor.activeFrom, timings.retentionMs) : undefined;
}

/**
 * What has to happen now: a first key that signs at once (no verifier knows another), always one key that waits,
 * the next rotation when the current key is old, and nothing kept whose tokens are all dead; in each algorithm.
 */
export function planKeys(
  keys: readonly StoredKey[],
  algorithms: readonly KeyAlgorithm[],
  now: Date,
  timings: KeyTimings,
): KeyPlan {
  const plans = algorithms.map((algorithm) => planLine(algorithm, lineOf(algorithm, keys), now, timings));
  // What this program has no use for was made by a newer one beside it, which would only make it again.
  const others = keys.filter(({ algorithm }) => !algorithms.includes(algorithm));
  return {
    keys: [...plans.flatMap((plan) => plan.keys), ...others],
    missing: plans.flatMap((plan) => plan.missing),
  };
}

function planLine(algorithm: KeyAlgorithm, line: StoredKey[], now: Date, timings: KeyTimings): KeyPlan {
  const live = line.filter((key) => !isDead(key, line, now, timings));
  const first = live.length === 0 ? [{ algorithm, activeFrom: now }] : [];
  const last = live.findLast(({ activeFrom }) => activeFrom !== null)?.activeFrom;
  const isOld = timings.rotationMs > 0 && last && later(last, timings.rotationMs) <= now;
  const kept = isOld ? rotateLine(live, now, timings) : live;
  const isWaiting = kept.some(({ activeFrom }) => activeFrom === null);
  return { keys: kept, missing: isWaiting ? first : [...first, { algorithm, activeFrom: null }] };
}

function isDead(key: StoredKey, line: readonly StoredKey[], now: Date, timings: KeyTimings): boolean {
  const end = endOf(key, line, timings);
  return end !== undefined && end <= now;
}

/**
 * Gives the waiting keys a date: when every process has read of it, and not before every verifier has had time to
 * learn the key.
 */
export function rotateKeys(keys: readonly StoredKey[], now: Date, timings: KeyTimings): readonly StoredKey[] {
  const algorithms = new Set(keys.map(({ algorithm }) => algorithm));
  return [...algorithms].flatMap((algorithm) => rotateLine(lineOf(algorithm, keys), now, timings));
}

function rotateLine(line: readonly StoredKey[], now: Date, timings: KeyTimings): StoredKey[] {
  const waiting = line.find(({ activeFrom }) => activeFrom === null);
  return line.map((key) =>
    key === waiting
      ? {
          ...key,
          activeFrom: latest(
            later(now, timings.takeOverLeadMs),
            later(key.createdAt, timings.publicationLeadMs),
          ),
        }
      : key,
  );
}

/**
 * Takes a key out at once, whatever it has signed: one that somebody else has learnt. Where it was the one that signs,
 * its successor takes over now, for a verifier that has not met it yet is better off than one that trusts a thief.
 */
export function removeKey(keys: readonly StoredKey[], kid: string, now: Date): readonly StoredKey[] {
  const removed = keys.find((key) => key.kid === kid);
  const kept = keys.filter((key) => key !== removed);
  if (!removed || stateOf(removed, keys, now) !== 'current') return kept;
  const line = lineOf(removed.algorithm, keys);
  const successor = line[line.indexOf(removed) + 1];
  return kept.map((key) => (key === successor ? { ...key, activeFrom: now } : key));
}

/** The keys of one algorithm in the order in which they sign; those without a date come last. */
function lineOf(algorithm: KeyAlgorithm, keys: readonly StoredKey[]): StoredKey[] {
  const rank = ({ activeFrom }: StoredKey) => activeFrom?.getTime() ?? Number.POSITIVE_INFINITY;
  return keys
    .filter((key) => key.algorithm === algorithm)
    .sort((a, b) => compare(rank(a), rank(b)) || compare(a.createdAt, b.createdAt) || compare(a.kid, b.kid));
}

/** The last key whose time has come. A clock before all of them takes the first: someone has to sign. */
function currentIndex(line: readonly StoredKey[], now: Date): number {
  return Math.max(
    0,
    line.findLastIndex(({ activeFrom }) => activeFrom !== null && activeFrom <= now),
  );
}

function compare<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function later(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
