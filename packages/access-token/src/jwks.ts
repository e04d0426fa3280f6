import type { Algorithm } from './algorithms.ts';
import { KeysUnavailableError } from './errors.ts';
import { type Fetch, fetchKeySet } from './fetch-key-set.ts';
import { createKeySet, type JwksLog } from './key-set.ts';
import { importKeys, type VerificationKey } from './verification-keys.ts';

/** Where the public keys of an issuer are, and how they are kept. */
export interface JwksOptions {
  /** Where the issuer publishes its key set (`jwks_uri`). */
  url: string;
  /** Only keys that these can be checked with are taken from the set. Default: ES256. */
  algorithms?: readonly Algorithm[];
  fetch?: Fetch;
  /** Milliseconds since any moment. Default: the uptime of the process, which nobody sets back or forward. */
  clock?: () => number;
  log?: JwksLog;
  /** Age at which a set in use is fetched anew. Keys should be published longer before they sign. Default: 120. */
  refreshSeconds?: number;
  /** Least time between two vain fetches for unknown keys, and between a failure and the next fetch. Default: 30. */
  cooldownSeconds?: number;
  /** How long the last set serves while no newer one can be had. Default: 86,400. */
  staleSeconds?: number;
  /** Bounds a fetch, body included. Default: 3,000. */
  timeoutMilliseconds?: number;
}

/** The issuer's keys, kept current. Nothing is fetched before the first use, and nothing needs closing. */
export interface Jwks {
  /** The key of this id if it is at hand; costs a look-up and never waits. */
  currentKey(kid: string): VerificationKey | undefined;
  /**
   * The key of this id, fetched if need be; `undefined` when the issuer has no such key.
   *
   * @throws {KeysUnavailableError} when that cannot be told
   */
  findKey(kid: string): Promise<VerificationKey | undefined>;
}

/**
 * Follows the key set at a URL. It is refreshed behind the requests that use it, one fetch at a time, and a
 * failure leaves the last good set in place while the pauses between attempts grow to 5 minutes.
 *
 * An unknown key id causes a fetch at once, so that a key published a moment ago is found. A fetch that was in
 * vain closes that door for `cooldownSeconds`: ids that nobody issued cause one fetch in that time, no more,
 * whatever state the set and the issuer are in.
 *
 * @throws {TypeError} when the URL is none
 */
export function createJwks(options: JwksOptions): Jwks {
  const { algorithms = ['ES256'], fetch = globalThis.fetch } = options;
  const { timeoutMilliseconds = 3_000, clock = () => performance.now() } = options;
  const url = new URL(options.url).href;
  const cooldownMs = (options.cooldownSeconds ?? 30) * 1000;
  const set = createKeySet({
    load: async (previous) =>
      importKeys(await fetchKeySet(fetch, url, timeoutMilliseconds), algorithms, previous),
    clock,
    log: options.log,
    refreshMs: (options.refreshSeconds ?? 120) * 1000,
    retryMs: cooldownMs,
    staleMs: (options.staleSeconds ?? 86_400) * 1000,
  });
  let closedUntil = 0;

  const currentKey = (kid: string) => set.current().get(kid);
  const opensAt = () => Math.max(closedUntil, (set.failure()?.at ?? -cooldownMs) + cooldownMs);

  /** Starts a fetch if the door is open, and joins the one under way in any case. */
  async function fetchFor(kid: string): Promise<void> {
    const isOpen = clock() >= opensAt();
    if (isOpen) closedUntil = clock() + cooldownMs;
    await (isOpen ? set.refresh() : set.underWay());
    if (isOpen && currentKey(kid) !== undefined) closedUntil = 0;
  }

  return {
    currentKey,
    async findKey(kid) {
      // A fetch that began before this request may bring the key; only one that begins later can rule it out.
      const earlier = set.underWay();
      if (currentKey(kid) === undefined) await earlier;
      if (currentKey(kid) === undefined) await fetchFor(kid);
      const key = currentKey(kid);
      const failure = set.failure();
      if (key === undefined && failure !== undefined) {
        const waitSeconds = Math.ceil((opensAt() - clock()) / 1000);
        throw new KeysUnavailableError(Math.max(waitSeconds, 1), { cause: failure.cause });
      }
      return key;
    },
  };
}
