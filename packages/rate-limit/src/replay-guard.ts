import { findPrimaryCounts } from './primary-counts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Options of a replay guard. */
export interface ReplayGuardOptions {
  /**
   * Shares used keys between processes. Without it, the primary stores those of its workers (see `countForWorkers`) and
   * other processes store their own, as all do during an outage.
   */
  redis?: RedisConnection | undefined;
  /** Separates these keys from others in the same Redis. */
  keyPrefix: string;
  /** Clock of the keys in this process. */
  now?: () => Date;
  /**
   * Maximum number of keys in this process, over about two `ttlSeconds`. Default: 1,000,000, at 100 bytes each; one
   * process cannot verify as many signatures in that time.
   */
  maxKeys?: number;
}

/** Detects repeated use of keys such as the `jti` of a proof (RFC 9449 §11.1). */
export interface ReplayGuard {
  /**
   * Resolves to true for the first use of a key, and to false for further uses within `ttlSeconds` (whole, from 1).
   * Exactly one of several concurrent calls gets true. Never takes longer than 300 ms, or 2 s in a worker: during an
   * outage of Redis, this process decides alone.
   *
   * @throws {Error} when this process has reached `maxKeys`; it never drops a key before its expiry
   */
  firstUse(key: string, ttlSeconds: number): Promise<boolean>;
}

/**
 * Creates a replay guard that stores keys in this process and in Redis. Keys used in this process stay used during an
 * outage of Redis.
 */
export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const { redis, keyPrefix, now = () => new Date(), maxKeys = 1_000_000 } = options;
  const isFirstInProcess = createLocalGuard(now, maxKeys);
  const isFirstInAll = redis ? createRedisGuard(redis, keyPrefix) : findPrimaryGuard(keyPrefix);
  return {
    async firstUse(key, ttlSeconds) {
      if (!isFirstInProcess(key, ttlSeconds)) return false;
      return (await isFirstInAll?.(key, ttlSeconds)) ?? true;
    },
  };
}

/**
 * Stores expiries by key in two generations. When all keys of the old generation have expired, it is dropped as a whole
 * and replaced by the young one. Deleting keys one by one from the front of a large map takes 60 µs per use.
 */
function createLocalGuard(now: () => Date, maxKeys: number) {
  let old = createGeneration();
  let young = createGeneration();

  return function isFirstInProcess(key: string, ttlSeconds: number): boolean {
    const nowMs = now().getTime();
    if (old.lastEnd <= nowMs) {
      old = young;
      young = createGeneration();
    }
    const end = young.ends.get(key) ?? old.ends.get(key) ?? nowMs;
    if (end > nowMs) return false;
    if (old.ends.size + young.ends.size >= maxKeys)
      throw new Error(`${maxKeys} keys are in use; no more can be stored.`);
    young.ends.set(key, nowMs + ttlSeconds * 1_000);
    young.lastEnd = Math.max(young.lastEnd, nowMs + ttlSeconds * 1_000);
    return true;
  };
}

function createGeneration() {
  return { ends: new Map<string, number>(), lastEnd: -Infinity };
}

function findPrimaryGuard(keyPrefix: string) {
  const counts = findPrimaryCounts();
  return counts && ((key: string, ttlSeconds: number) => counts.firstUse(keyPrefix, key, ttlSeconds));
}

function createRedisGuard({ client, isUsable, reportFailure }: RedisConnection, keyPrefix: string) {
  const write = async (name: string, ttlSeconds: number) =>
    (await client.set(`${keyPrefix}:${name}`, '', 'EX', ttlSeconds, 'NX')) === 'OK';

  /** Resolves to `undefined` when Redis fails. */
  return async function isFirstInRedis(key: string, ttlSeconds: number): Promise<boolean | undefined> {
    if (!isUsable()) return undefined;
    try {
      return await write(key, ttlSeconds);
    } catch (err) {
      // Writes a probe key that expires in a second, because writes must work again, not only PING.
      reportFailure(err, () => write('probe', 1));
      return undefined;
    }
  };
}
