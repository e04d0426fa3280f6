import type { Logger } from 'pino';
import { type KeyPlan, type KeyState, type KeyTimings, keyStateOf, planKeys } from './key-schedule.ts';
import type { KeyStore, StoredKey, StoredKeySet } from './key-store.ts';
import type { Sealer } from './sealing.ts';
import { createSigningKey, type KeyAlgorithm, openSigningKey, type SigningKey } from './signing-key.ts';

export interface KeyRingOptions {
  store: KeyStore;
  sealer: Sealer;
  algorithms: readonly KeyAlgorithm[];
  timings: KeyTimings;
  now: () => Date;
  log: Logger;
  /** Called with every change that this process made to the stored set. */
  onChanged?: ((change: KeyChange) => Promise<void>) | undefined;
}

/** Changes of the key set, by key id. */
export interface KeyChange {
  created: readonly string[];
  /** Keys that now have a date from which they sign. */
  scheduled: readonly string[];
  removed: readonly string[];
}

/** Signing keys of this process, synchronized with the stored set. */
export interface KeyRing {
  /**
   * Reads the stored set, applies due changes and returns whether the keys changed.
   *
   * @throws {AppError} `unavailable` when the store does not respond
   * @throws {Error} when the keys were sealed with another master secret
   */
  refresh(): Promise<boolean>;
  /** Returns every published key, current ones first. Empty before the first `refresh`. */
  keys(): readonly SigningKey[];
  /**
   * Whether this process may have missed a rotation, because it could not read the set for longer than a rotation is
   * announced. It must not sign then, because verifiers may have dropped its key.
   */
  isStale(): boolean;
}

/** Creates a key ring. All processes on one store agree on every key and its schedule. */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { store, sealer, now, timings, log } = options;
  let opened = new Map<string, SigningKey>();
  let published: readonly SigningKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  function openAll(stored: readonly StoredKey[]): SigningKey[] {
    const keys = stored.map((key) => opened.get(key.kid) ?? openSigningKey(key, sealer));
    opened = new Map(keys.map((key) => [key.kid, key]));
    return keys;
  }

  /** Saves the set. If that fails, such as on a full disk, the set just read stays in use. */
  async function save(keys: readonly StoredKey[], stored: StoredKeySet) {
    try {
      return (await store.save(keys, stored.revision)) ? 'saved' : 'stale';
    } catch (err) {
      if (stored.keys.length === 0) throw err;
      log.error({ err }, 'signing keys could not be rotated yet');
      return 'postponed';
    }
  }

  async function applySchedule(at: Date): Promise<StoredKeySet> {
    for (;;) {
      const stored = await store.load();
      // Opened before anything is added, so that a wrong master secret never writes to the set.
      openAll(stored.keys);
      const plan = planKeys(stored.keys, options.algorithms, at, timings);
      if (isUpToDate(stored.keys, plan)) return stored;
      const created = await Promise.all(
        plan.missing.map((key) => createSigningKey(key, { sealer, now: at })),
      );
      const keys = [...plan.keys, ...created];
      const outcome = await save(keys, stored);
      if (outcome === 'stale') continue;
      if (outcome === 'postponed') return stored;
      log.info(
        { event: 'keys.changed', created: kidsOf(created), kept: kidsOf(plan.keys) },
        'signing keys changed',
      );
      await options.onChanged?.({ created: kidsOf(created), ...diffKeys(stored.keys, plan.keys) });
      return { revision: stored.revision + 1, keys };
    }
  }

  return {
    async refresh() {
      const at = now();
      const { keys } = await applySchedule(at);
      readAt = at.getTime();
      const next = openAll(sortByState(keys, at));
      if (String(kidsOf(next)) === String(kidsOf(published))) return false;
      published = next;
      return true;
    },
    keys: () => published,
    isStale: () => now().getTime() - readAt > timings.takeOverLeadMs,
  };
}

const useOrder: readonly KeyState[] = ['current', 'next', 'retired'];

function sortByState(keys: readonly StoredKey[], now: Date): StoredKey[] {
  const rank = (key: StoredKey) => useOrder.indexOf(keyStateOf(key, keys, now));
  return keys.toSorted((a, b) => rank(a) - rank(b));
}

function kidsOf(keys: readonly { kid: string }[]): string[] {
  return keys.map(({ kid }) => kid);
}

function diffKeys(before: readonly StoredKey[], after: readonly StoredKey[]): Omit<KeyChange, 'created'> {
  const find = (keys: readonly StoredKey[], { kid }: StoredKey) => keys.find((key) => key.kid === kid);
  return {
    scheduled: kidsOf(after.filter((key) => key.activeFrom && find(before, key)?.activeFrom === null)),
    removed: kidsOf(before.filter((key) => !find(after, key))),
  };
}

function isUpToDate(stored: readonly StoredKey[], { keys, missing }: KeyPlan): boolean {
  return missing.length === 0 && keys.length === stored.length && keys.every((key) => stored.includes(key));
}
