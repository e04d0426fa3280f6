import type { VerificationKeys } from './verification-keys.ts';

/** Subset of a logger that the key set uses; compatible with pino. */
export interface JwksLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Options of a key set: loading and lifetimes. */
export interface KeySetOptions {
  /** Fetches the keys; unchanged ones are the same objects as in `previous`. */
  load(previous: VerificationKeys): Promise<VerificationKeys>;
  uptimeMs: () => number;
  log: JwksLog | undefined;
  /** Age at which the keys are fetched again. */
  refreshMs: number;
  /** Pause after a failure; doubles with each further failure, up to 5 minutes. */
  retryMs: number;
  /** Lifetime of the last keys while loading fails. */
  staleMs: number;
}

/** Cached keys: refreshed in the background, retained through failures until `staleMs`. */
export interface KeySet {
  /** Returns the usable keys. Starts a refresh when due, without waiting for it. */
  current(): VerificationKeys;
  /** Fetches the keys, or waits for the fetch in progress. Never rejects: see `failure`. */
  refresh(): Promise<void>;
  pendingRefresh(): Promise<void> | undefined;
  /** Cause and time of the last failed fetch; `undefined` after a successful one. */
  failure(): Failure | undefined;
}

export interface Failure {
  cause: unknown;
  count: number;
  at: number;
}

const MAX_BACK_OFF_MS = 300_000;
const noKeys: VerificationKeys = new Map();

export function createKeySet({ load, uptimeMs, log, refreshMs, retryMs, staleMs }: KeySetOptions): KeySet {
  let keys = noKeys;
  let refreshAt = 0;
  let discardAt = 0;
  let failure: Failure | undefined;
  let pending: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    try {
      const previous = keys;
      keys = await load(previous);
      if (!isSame(previous, keys)) log?.info({ kids: [...keys.keys()] }, 'the key set has changed');
      // An empty set revokes every key but cannot verify tokens: retry as after a failure.
      if (keys.size === 0) throw new Error('The key set contains no usable key.');
      failure = undefined;
      refreshAt = uptimeMs() + refreshMs;
      discardAt = uptimeMs() + staleMs;
    } catch (cause) {
      failure = { cause, count: (failure?.count ?? 0) + 1, at: uptimeMs() };
      refreshAt = failure.at + Math.min(retryMs * 2 ** (failure.count - 1), MAX_BACK_OFF_MS);
      log?.warn({ err: cause, failures: failure.count }, 'the key set could not be refreshed');
    }
  }

  function refresh(): Promise<void> {
    pending ??= attempt().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    current() {
      const now = uptimeMs();
      if (now >= discardAt) keys = noKeys;
      else if (now >= refreshAt) void refresh();
      // After a long idle time, keys may be revoked: wait for the refresh before accepting tokens.
      return now >= refreshAt + refreshMs ? noKeys : keys;
    },
    refresh,
    pendingRefresh: () => pending,
    failure: () => failure,
  };
}

function isSame(before: VerificationKeys, after: VerificationKeys): boolean {
  return before.size === after.size && [...after].every(([kid, key]) => before.get(kid) === key);
}
