import type { VerificationKeys } from './verification-keys.ts';

/** The part of a logger that is used; a pino logger fits. */
export interface JwksLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** How a key set is fetched and kept. */
export interface KeySetOptions {
  /** Fetches the keys; those of `previous` that did not change keep their identity. */
  load(previous: VerificationKeys): Promise<VerificationKeys>;
  clock(): number;
  log: JwksLog | undefined;
  /** Age at which the keys are fetched anew. */
  refreshMs: number;
  /** Pause after a failure; it doubles with each further one, up to 5 minutes. */
  retryMs: number;
  /** How long the last keys serve while no newer ones can be had. */
  staleMs: number;
}

/** Keys that age: refreshed behind their use, kept through failures for a while, dropped at last. */
export interface KeySet {
  /** The keys that may be used now. Begins a refresh that is due, and does not wait for it. */
  current(): VerificationKeys;
  /** Fetches the keys, or joins the fetch under way. Never rejects: see `failure`. */
  refresh(): Promise<void>;
  underWay(): Promise<void> | undefined;
  /** Why and when the last fetch failed; `undefined` after a good one. */
  failure(): Failure | undefined;
}

export interface Failure {
  cause: unknown;
  count: number;
  at: number;
}

const MAX_BACK_OFF_MS = 300_000;
const noKeys: VerificationKeys = new Map();

export function createKeySet({ load, clock, log, refreshMs, retryMs, staleMs }: KeySetOptions): KeySet {
  let keys = noKeys;
  let refreshAt = 0;
  let discardAt = 0;
  let failure: Failure | undefined;
  let underWay: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    try {
      const previous = keys;
      keys = await load(previous);
      if (!isSame(previous, keys)) log?.info({ kids: [...keys.keys()] }, 'the key set has changed');
      // An empty set revokes every key, but is none to judge tokens by: ask again, as after a failure.
      if (keys.size === 0) throw new Error('The key set holds no usable key.');
      failure = undefined;
      refreshAt = clock() + refreshMs;
      discardAt = clock() + staleMs;
    } catch (cause) {
      failure = { cause, count: (failure?.count ?? 0) + 1, at: clock() };
      refreshAt = failure.at + Math.min(retryMs * 2 ** (failure.count - 1), MAX_BACK_OFF_MS);
      log?.warn({ err: cause, failures: failure.count }, 'the key set could not be refreshed');
    }
  }

  function refresh(): Promise<void> {
    underWay ??= attempt().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    current() {
      const now = clock();
      if (now >= discardAt) keys = noKeys;
      else if (now >= refreshAt) void refresh();
      // Unused for long, a key may be long revoked: nothing passes before the refresh has ended.
      return now >= refreshAt + refreshMs ? noKeys : keys;
    },
    refresh,
    underWay: () => underWay,
    failure: () => failure,
  };
}

function isSame(before: VerificationKeys, after: VerificationKeys): boolean {
  return before.size === after.size && [...after].every(([kid, key]) => before.get(kid) === key);
}
