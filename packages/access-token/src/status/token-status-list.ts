import type { Algorithm } from '../jws/algorithms.ts';
import { InvalidTokenError } from '../jws/errors.ts';
import { type Fetch, readText } from '../keys/fetch-key-set.ts';
import type { Jwks } from '../keys/jwks.ts';
import type { JwksLog } from '../keys/key-set.ts';
import type { StatusReference } from './status-claim.ts';
import { MAX_TOKEN_BYTES, type StatusList, statusAt, verifyStatusList } from './status-list-token.ts';

/** Location and polling of an issuer's token status list. */
export interface TokenStatusListOptions {
  issuer: string;
  /** URI of the list, exactly as in the tokens (`status.status_list.uri`). */
  uri: string;
  /** URL to fetch it from, if it differs. Default: `uri`. */
  url?: string | undefined;
  jwks: Jwks;
  /** Accepted signature algorithms; `jwks` must import keys for them. Default: ES256. */
  algorithms?: readonly Algorithm[];
  fetch?: Fetch;
  now?: () => Date;
  /** Monotonic clock. Default: the uptime of the process. */
  uptimeMs?: () => number;
  log?: JwksLog | undefined;
  /** Pause between two fetches from a server that does not hold requests until the list changes. Default: 1. */
  pollSeconds?: number;
  /** Time without a token or watch after which polling stops until the next token. Default: 60. */
  idleSeconds?: number;
  /** Time limit of a fetch, including the body, beyond the time that the server may hold it. Default: 2,000. */
  timeoutMilliseconds?: number;
  /** Tolerated difference between the clocks of issuer and resource server. Default: 5. */
  toleranceSeconds?: number;
}

/** Statuses of an issuer's access tokens. */
export interface TokenStatusList {
  /**
   * Checks a status. It waits for a fetch only if the list is not polled yet: at the first token, and at the first one
   * after an idle time. Otherwise it is one look-up in memory.
   *
   * @throws {InvalidTokenError} when the token is revoked, or the list has no such status
   */
  check(status: StatusReference): Promise<void>;
  /**
   * Calls back once when a checked status is no longer valid, or immediately if it already is not. Serves responses
   * that stay open: the list is polled until the watch ends. A new list costs one look-up per watch.
   *
   * @returns ends the watch
   */
  watch(status: StatusReference, onInvalid: () => void): () => void;
  /** Seconds since the list was issued; `undefined` without a list, or while no token needs it. */
  ageSeconds(): number | undefined;
  /** Stops polling until the next token. */
  stop(): void;
}

/** A response that ends with its token. */
interface Watch {
  readonly index: number;
  readonly onInvalid: () => void;
}

/** Status of a valid token (Token Status List §7.1). */
const VALID = 0;

/** Time in seconds for which the server may hold a request for an unchanged list (RFC 7240 §4.3). */
const WAIT_SECONDS = 2;
/** Pause after a changed list, so that many changes in a row share a fetch. */
const PAUSE_AFTER_CHANGE_MS = 100;

/**
 * Polls a token status list (draft-ietf-oauth-status-list) while tokens refer to it. One small request serves all
 * tokens, and an unchanged list is not sent again. A server that supports the preference `wait` (RFC 7240 §4.3) holds
 * the request until the list changes. No token triggers a request to another URL.
 *
 * While the list cannot be fetched, the last one is kept, and without any list tokens are accepted until they expire.
 * `ageSeconds` and the log report it. A list that is older than the last one is ignored.
 *
 * @throws {TypeError} when the URL is invalid
 */
export function createTokenStatusList(options: TokenStatusListOptions): TokenStatusList {
  const { uri, now = () => new Date(), uptimeMs = () => performance.now() } = options;
  const [pollMs, idleMs] = [(options.pollSeconds ?? 1) * 1000, (options.idleSeconds ?? 60) * 1000];
  const load = createLoader(options);
  const report = createReport(options.log);
  let list: StatusList | undefined;
  let usedAt = 0;
  const watches = createWatches();
  let first: Promise<void> | undefined;
  let polling = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /** Fetches the list once; resolves with the pause before the next fetch. */
  async function refresh({ signal }: AbortController): Promise<number> {
    const [previous, startedAt] = [list, uptimeMs()];
    let isHeld = false;
    try {
      ({ list, isHeld } = await load(previous, signal));
      report.success();
    } catch (err) {
      if (!signal.aborted) report.failure(err);
    }
    if (list && list !== previous) watches.check(list);
    return pauseAfter({ isHeld, isChanged: list !== previous, tookMs: uptimeMs() - startedAt }, pollMs);
  }

  async function poll(): Promise<void> {
    const current = polling;
    const pauseMs = await refresh(current);
    if (current.signal.aborted) return;
    timer = setTimeout(() => (isIdle() ? stop() : void poll()), pauseMs);
    timer.unref();
  }

  function isIdle(): boolean {
    return watches.isEmpty() && uptimeMs() - usedAt > idleMs;
  }

  function start(): Promise<void> {
    polling = new AbortController();
    first = poll();
    return first;
  }

  function stop(): void {
    clearTimeout(timer);
    polling.abort();
    first = undefined;
  }

  return {
    async check(status) {
      if (status.uri !== uri) throw new InvalidTokenError('The status list of the access token is unknown.');
      usedAt = uptimeMs();
      await (first ?? start());
      const value = list && statusAt(list, status.index);
      if (list && value === undefined)
        throw new InvalidTokenError('The access token is not in the status list.');
      if (list && value !== VALID) throw new InvalidTokenError('The access token was revoked.');
    },
    watch({ index }, onInvalid) {
      const unwatch = watches.add({ index, onInvalid }, list);
      if (!first) void start();
      return unwatch;
    },
    ageSeconds: () => list && first && Math.max(now().getTime() / 1000 - list.issuedAtSeconds, 0),
    stop,
  };
}

/** Returns the pause after a fetch. A request that was held has itself been a pause. */
function pauseAfter(
  { isHeld, isChanged, tookMs }: { isHeld: boolean; isChanged: boolean; tookMs: number },
  pollMs: number,
): number {
  if (!isHeld) return pollMs;
  return isChanged ? PAUSE_AFTER_CHANGE_MS : Math.max(pollMs - tookMs, 0);
}

/** Open responses by the statuses of their tokens. */
function createWatches() {
  const watches = new Set<Watch>();

  /** Ends a watch whose status is not valid. */
  function checkOne(watch: Watch, list: StatusList): void {
    if (statusAt(list, watch.index) === VALID) return;
    watches.delete(watch);
    watch.onInvalid();
  }

  return {
    isEmpty: () => watches.size === 0,
    add(watch: Watch, list: StatusList | undefined) {
      watches.add(watch);
      if (list) checkOne(watch, list);
      return () => void watches.delete(watch);
    },
    check(list: StatusList) {
      for (const watch of watches) checkOne(watch, list);
    },
  };
}

interface LoadedList {
  list: StatusList;
  /** Whether the server held the request, or may hold the next one, until the list changes. */
  isHeld: boolean;
}

/** Creates the function that fetches and verifies the list; it returns the previous one if there is no newer one. */
function createLoader(options: TokenStatusListOptions) {
  const { issuer, uri, jwks, algorithms = ['ES256'], now = () => new Date() } = options;
  const { fetch = globalThis.fetch, timeoutMilliseconds = 2_000, toleranceSeconds = 5 } = options;
  const url = new URL(options.url ?? uri).href;
  let etag: string | undefined;

  async function send(isConditional: boolean, signal: AbortSignal): Promise<Response> {
    const condition = { 'If-None-Match': etag ?? '', Prefer: `wait=${WAIT_SECONDS}` };
    const limitMs = timeoutMilliseconds + (isConditional ? WAIT_SECONDS * 1000 : 0);
    return fetch(url, {
      headers: { Accept: 'application/statuslist+jwt', ...(isConditional && condition) },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
  }

  return async function load(previous: StatusList | undefined, signal: AbortSignal): Promise<LoadedList> {
    const isConditional = previous !== undefined && etag !== undefined;
    const response = await send(isConditional, signal);
    const isApplied = /^wait\b/.test(response.headers.get('preference-applied') ?? '');
    // Only the response to a conditional request shows whether the server holds it, so the first one follows soon.
    const isHeld = isApplied || (!isConditional && response.headers.has('etag'));
    if (response.status === 304 && previous) return { list: previous, isHeld };
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`The status list endpoint answered with status ${response.status}.`);
    }
    const token = await readText(response, MAX_TOKEN_BYTES);
    const nowSeconds = now().getTime() / 1000;
    const expected = { issuer, uri, jwks, algorithms, nowSeconds, toleranceSeconds };
    const list = await verifyStatusList(token, expected);
    if (previous && list.issuedAtSeconds < previous.issuedAtSeconds) return { list: previous, isHeld };
    etag = response.headers.get('etag') ?? undefined;
    return { list, isHeld };
  };
}

/** Logs the first of several failures, and the success after them. */
function createReport(log: JwksLog | undefined) {
  let failures = 0;
  return {
    failure(err: unknown) {
      failures += 1;
      if (failures === 1) log?.warn({ err }, 'the token status list could not be fetched');
    },
    success() {
      if (failures > 0) log?.info({ failures }, 'the token status list is fetched again');
      failures = 0;
    },
  };
}
