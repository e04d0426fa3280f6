import { hash } from 'node:crypto';
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
  const { statuses, listRevoked, keys, now, uptimeMs = () => performance.now() } = options;
  let snapshot: Snapshot | undefined;
  let checkAgainAt = 0;
  let checking: Promise<Snapshot> | undefined;

  async function check(): Promise<Snapshot> {
    const startedAt = uptimeMs();
    const [revoked, leased] = await Promise.all([listRevoked(), statuses.countLeased()]);
    const size = sizeOfList(leased);
    const content = hash('sha256', `${size} ${revoked.join(' ')}`, 'base64url');
    const key = keys().find(({ algorithm }) => algorithm === 'ES256');
    if (!key) throw new Error('There is no ES256 key to sign the token status list with.');
    const next = { content, kid: key.kid, issuedAt: timeOf(content, snapshot, now()) };
    if (!isSame(next, snapshot)) snapshot = { ...next, list: await sign(key, next, { size, revoked }) };
    checkAgainAt = startedAt + Math.max(CHECK_INTERVAL_MS, (uptimeMs() - startedAt) / MAX_BUSY_PART);
    return snapshot;
  }

  async function sign(
    key: SigningKey,
    { content, issuedAt: iat }: Omit<Snapshot, 'list'>,
    { size, revoked }: { size: number; revoked: readonly number[] },
  ): Promise<PublishedStatusList> {
    const { issuer: iss, uri: sub } = options;
    const claims = { iss, sub, iat, exp: iat + LIFETIME_SECONDS, ttl: TTL_SECONDS };
    const token = await signStatusList(key, claims, await compressStatuses(size, revoked));
    // Not of the signature, which differs each time.
    return { token, etag: `"${hash('sha256', `${key.kid} ${iat} ${content}`, 'base64url').slice(0, 22)}"` };
  }

  return {
    async current() {
      if (snapshot && uptimeMs() < checkAgainAt) return snapshot.list;
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return (await checking).list;
    },
  };
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
