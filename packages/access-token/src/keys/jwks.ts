import type { Algorithm } from '../jws/algorithms.ts';
import { KeysUnavailableError } from '../jws/errors.ts';
import { type Fetch, fetchKeySet } from './fetch-key-set.ts';
import { createKeySet, type JwksLog } from './key-set.ts';
import { importKeys, type VerificationKey } from './verification-keys.ts';

/** Location and caching of an issuer's key set. */
export interface JwksOptions {
  /** URL of the issuer's key set (`jwks_uri`). */
  url: string;
  /** Algorithms for which keys are imported from the set. Default: ES256. */
  algorithms?: readonly Algorithm[];
  fetch?: Fetch;
  /** Monotonic clock. Default: the uptime of the process. */
  uptimeMs?: () => number;
  log?: JwksLog;
  /** Age at which a set in use is fetched again. Publish keys longer than this before use. Default: 120. */
  refreshSeconds?: number;
  /** Minimum time between fetches for unknown keys, and after a failed fetch. Default: 30. */
  cooldownSeconds?: number;
  /** Lifetime of the last set while fetches fail. Default: 86,400. */
  staleSeconds?: number;
  /** Time limit of a fetch, including the body. Default: 3,000. */
  timeoutMilliseconds?: number;
}

/** The issuer's keys, refreshed in the background. The first use fetches them; nothing needs closing. */
export interface Jwks {
  /** Returns the cached key with this id; never waits. */
  currentKey(kid: string): VerificationKey | undefined;
  /**
   * Returns the key with this id, fetching the set if needed; `undefined` when the issuer has no such key.
   *
   * @throws {KeysUnavailableError} when the set cannot be fetched
   */
  findKey(kid: string): Promise<VerificationKey | undefined>;
}

/**
 * Caches the key set at a URL. It is refreshed in the background, one fetch at a time. A failure keeps the last
 * valid set, and the pauses between attempts grow to 5 minutes.
 *
 * An unknown key id triggers a fetch at once, so that a newly published key is found. If the key is still unknown,
 * further unknown ids trigger no fetch for `cooldownSeconds`, whatever the state of the set and the issuer.
 *
 * @throws {TypeError} when the URL is invalid
 */
export function createJwks(options: JwksOptions): Jwks {
  const { algorithms = ['ES256'], fetch = globalThis.fetch } = options;
  const { timeoutMilliseconds = 3_000, uptimeMs = () => performance.now() } = options;
  const url = new URL(options.url).href;
  const cooldownMs = (options.cooldownSeconds ?? 30) * 1000;
  const set = createKeySet({
    load: async (previous) =>
      importKeys(await fetchKeySet(fetch, url, timeoutMilliseconds), algorithms, previous),
    uptimeMs,
    log: options.log,
    refreshMs: (options.refreshSeconds ?? 120) * 1000,
    retryMs: cooldownMs,
    staleMs: (options.staleSeconds ?? 86_400) * 1000,
  });
  let cooldownUntil = 0;

  const currentKey = (kid: string) => set.current().get(kid);
  const nextFetchAt = () => Math.max(cooldownUntil, (set.failure()?.at ?? -cooldownMs) + cooldownMs);

  /** Starts a fetch unless in cooldown; otherwise waits for the fetch in progress. */
  async function fetchFor(kid: string): Promise<void> {
    const canFetch = uptimeMs() >= nextFetchAt();
    if (canFetch) cooldownUntil = uptimeMs() + cooldownMs;
    await (canFetch ? set.refresh() : set.pendingRefresh());
    if (canFetch && currentKey(kid) !== undefined) cooldownUntil = 0;
  }

  return {
    currentKey,
    async findKey(kid) {
      // A fetch started before this request may return the key; only a later one can rule it out.
      const earlier = set.pendingRefresh();
      if (currentKey(kid) === undefined) await earlier;
      if (currentKey(kid) === undefined) await fetchFor(kid);
      const key = currentKey(kid);
      const failure = set.failure();
      if (key === undefined && failure !== undefined) {
        const waitSeconds = Math.ceil((nextFetchAt() - uptimeMs()) / 1000);
        throw new KeysUnavailableError(Math.max(waitSeconds, 1), { cause: failure.cause });
      }
      return key;
    },
  };
}
