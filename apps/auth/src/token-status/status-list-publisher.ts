import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SigningKey } from '../keys/signing-key.ts';
import { compressStatuses, signStatusList, sizeOfList } from './status-list.ts';
import type { TokenStatusStore } from './token-status-store.ts';

export interface StatusListPublisherOptions {
  issuer: string;
  /** URI of the list, to which access tokens refer. */
  uri: string;
  statuses: Pick<TokenStatusStore, 'countLeased'>;
  /** Returns the indexes of revoked tokens in ascending order. */
  listRevoked: () => Promise<readonly number[]>;
  /** Published keys, current ones first. */
  keys: () => readonly SigningKey[];
  now: () => Date;
  /** Monotonic clock. Default: the uptime of the process. */
  uptimeMs?: () => number;
}

/** A signed status list and its entity tag (RFC 9110 §8.8.3). */
export interface PublishedStatusList {
  token: string;
  etag: string;
}

/** Publishes the token status list; each process of the server has its own. */
export interface StatusListPublisher {
  /**
   * Returns the list as of at most `CHECK_INTERVAL_MS` ago.
   *
   * @throws {AppError} `unavailable` if the store fails
   */
  current(): Promise<PublishedStatusList>;
  /**
   * Returns the list as soon as its entity tag differs from `etag`, or after `waitMs`.
   *
   * @throws {AppError} as `current`
   */
  changed(etag: string, waitMs: number): Promise<PublishedStatusList>;
  /** Makes the next query due at once: this process has revoked something. */
  expire(): void;
  /** Ends all waits; later ones end at once. */
  endWaits(): void;
}

/** Minimum interval of the queries, however many resource servers poll. */
export const CHECK_INTERVAL_MS = 250;
/** Part of the time that queries may take. Long ones become rarer, so that they never keep the process busy. */
const MAX_BUSY_PART = 0.2;
/** Age at which an unchanged list is signed again. Resource servers take the age of a list from this time. */
const RENEWAL_SECONDS = 10;
const LIFETIME_SECONDS = 300;
/** Time after which resource servers should fetch the list again (`ttl`). */
const TTL_SECONDS = 1;

interface Snapshot {
  content: string;
  kid: string;
  issuedAt: number;
  list: PublishedStatusList;
}

/**
 * Creates the publisher. Requests within an interval share one query, and as long as nothing changes all processes give
 * their list the same claims and entity tag.
 */
export function createStatusListPublisher(options: StatusListPublisherOptions): StatusListPublisher {
  const { uptimeMs = () => performance.now() } = options;
  const issue = createIssuer(options);
  const schedule = createSchedule(uptimeMs);
  let snapshot: Snapshot | undefined;
  let checking: Promise<Snapshot> | undefined;

  async function check(): Promise<Snapshot> {
    const finish = schedule.begin();
    snapshot = await issue(snapshot);
    finish();
    return snapshot;
  }

  async function current(): Promise<PublishedStatusList> {
    if (snapshot && !schedule.isDue()) return snapshot.list;
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return (await checking).list;
  }

  return {
    current,
    async changed(etag, waitMs) {
      const giveUpAt = uptimeMs() + waitMs;
      for (;;) {
        const list = await current();
        if (list.etag !== etag || uptimeMs() >= giveUpAt || schedule.isStopped()) return list;
        await schedule.untilDue();
      }
    },
    expire: schedule.bringForward,
    endWaits: schedule.stop,
  };
}

/** Creates the function that queries the revoked statuses, and signs a list if it differs from the previous one. */
function createIssuer({ issuer, uri, statuses, listRevoked, keys, now }: StatusListPublisherOptions) {
  async function sign(
    key: SigningKey,
    { content, issuedAt: iat }: Omit<Snapshot, 'list'>,
    { size, revoked }: { size: number; revoked: readonly number[] },
  ): Promise<PublishedStatusList> {
    const claims = { iss: issuer, sub: uri, iat, exp: iat + LIFETIME_SECONDS, ttl: TTL_SECONDS };
    const token = await signStatusList(key, claims, await compressStatuses(size, revoked));
    // Not of the signature, which differs each time.
    return { token, etag: `"${hash('sha256', `${key.kid} ${iat} ${content}`, 'base64url').slice(0, 22)}"` };
  }

  return async function issue(previous: Snapshot | undefined): Promise<Snapshot> {
    const [revoked, leased] = await Promise.all([listRevoked(), statuses.countLeased()]);
    const size = sizeOfList(leased);
    const content = hash('sha256', `${size} ${revoked.join(' ')}`, 'base64url');
    const key = keys().find(({ algorithm }) => algorithm === 'ES256');
    if (!key) throw new Error('There is no ES256 key to sign the token status list with.');
    const next = { content, kid: key.kid, issuedAt: timeOf(content, previous, now()) };
    return isSame(next, previous) ? previous : { ...next, list: await sign(key, next, { size, revoked }) };
  };
}

/** Creates the schedule of the queries. */
function createSchedule(uptimeMs: () => number) {
  let dueAt = 0;
  /** Earliest time of the next query, even after a revocation. */
  let restUntil = 0;
  let isBroughtForward = false;
  let advance = new AbortController();
  const stopping = new AbortController();
  const isDue = () => uptimeMs() >= dueAt;

  return {
    isDue,
    /** Begins a query; returns the function that ends it. */
    begin() {
      const startedAt = uptimeMs();
      isBroughtForward = false;
      return () => {
        restUntil = startedAt + (uptimeMs() - startedAt) / MAX_BUSY_PART;
        dueAt = isBroughtForward ? restUntil : Math.max(startedAt + CHECK_INTERVAL_MS, restUntil);
      };
    },
    /** Makes the next query due as soon as the limit on the share of time allows it. */
    bringForward() {
      isBroughtForward = true;
      dueAt = restUntil;
      advance.abort();
      advance = new AbortController();
    },
    async untilDue() {
      while (!isDue() && !stopping.signal.aborted) {
        const signal = AbortSignal.any([advance.signal, stopping.signal]);
        await sleep(Math.max(dueAt - uptimeMs(), 1), undefined, { signal }).catch(ignoreAbort);
      }
    },
    isStopped: () => stopping.signal.aborted,
    stop: () => stopping.abort(),
  };
}

function ignoreAbort(err: unknown): void {
  if (!(err instanceof Error && err.name === 'AbortError')) throw err;
}

/** Returns the time of issue: of a first or changed list now, else the last multiple of the renewal interval. */
function timeOf(content: string, before: Snapshot | undefined, now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000);
  if (before?.content !== content) return seconds;
  const renewedAt = seconds - (seconds % RENEWAL_SECONDS);
  return Math.max(before.issuedAt, renewedAt);
}

function isSame(next: Omit<Snapshot, 'list'>, before: Snapshot | undefined): before is Snapshot {
  return (
    before !== undefined &&
    next.content === before.content &&
    next.kid === before.kid &&
    next.issuedAt === before.issuedAt
  );
}
