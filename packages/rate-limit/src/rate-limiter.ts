import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { findPrimaryCounts } from './primary-counts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Options of a rate limiter. */
export interface RateLimiterOptions {
  /**
   * Shares counts between processes. Without it, the primary counts for its workers (see `countForWorkers`) and other
   * processes count separately, as all do during an outage.
   */
  redis?: RedisConnection | undefined;
  /** Separates the counts of this limiter from others in the same Redis. */
  keyPrefix: string;
  /** Points per key and window; 0 disables the limit. */
  points: number;
  /** Length of the window, which starts with the first `consume` of a key. */
  durationSeconds: number;
}

/** Result of one `consume`. */
export interface RateLimitResult {
  isAllowed: boolean;
  /** Points per window; `Infinity` without a limit. */
  limit: number;
  /** Remaining points of this window. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1; 0 without a limit. */
  resetSeconds: number;
}

/** Counts points by key, in memory or on Redis. */
export interface RateLimiter {
  readonly points: number;
  readonly durationSeconds: number;
  /**
   * Subtracts `cost` points (default 1) from the window of a key. Concurrent calls never get more than `points` per
   * window. Never rejects and never takes longer than 300 ms, or 2 s in a worker: during an outage of Redis,
   * this process counts separately.
   */
  consume(key: string, cost?: number): Promise<RateLimitResult>;
  /**
   * Returns points of an earlier `consume` that should not count. Never rejects and is never slow, like `consume`. If
   * the window has ended, the next one gets the points.
   */
  refund(key: string, cost?: number): Promise<void>;
}

const unlimited: RateLimitResult = { isAllowed: true, limit: Infinity, remaining: Infinity, resetSeconds: 0 };

/**
 * Creates a limiter of `points` per key and window of `durationSeconds`.
 *
 * @throws {RangeError} unless `points` is a whole number from 0 and `durationSeconds` one from 1
 * @example
 * const reads = createRateLimiter({ redis, keyPrefix: 'api:reads', points: 3_000, durationSeconds: 60 });
 * const { isAllowed, resetSeconds } = await reads.consume(clientId);
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { redis, keyPrefix, points, durationSeconds } = options;
  if (!Number.isSafeInteger(points) || points < 0)
    throw new RangeError('points must be a whole number from 0');
  if (!Number.isSafeInteger(durationSeconds) || durationSeconds < 1)
    throw new RangeError('durationSeconds must be a whole number from 1');
  if (points === 0)
    return { points, durationSeconds, consume: async () => unlimited, refund: async () => undefined };

  const limit = { keyPrefix, points, duration: durationSeconds };
  const local = new RateLimiterMemory(limit);
  const shared = redis ? createRedisLimiter(redis, limit) : findPrimaryLimiter(options);

  return {
    points,
    durationSeconds,
    async consume(key, cost = 1) {
      const result = (await shared?.consume(key, cost)) ?? (await consumeFrom(local, key, cost));
      // After the clock is set back, the library adds the difference.
      return { ...result, resetSeconds: Math.min(result.resetSeconds, durationSeconds) };
    },
    async refund(key, cost = 1) {
      if (!(await shared?.refund(key, cost))) await local.reward(key, cost);
    },
  };
}

/** Returns the limiter of the primary in a worker. Its methods return `undefined` when the primary does not respond. */
function findPrimaryLimiter({ keyPrefix, points, durationSeconds }: RateLimiterOptions) {
  const counts = findPrimaryCounts();
  const limit = { keyPrefix, points, durationSeconds };
  return (
    counts && {
      consume: (key: string, cost: number) => counts.consume(limit, key, cost),
      refund: (key: string, cost: number) => counts.refund(limit, key, cost),
    }
  );
}

/**
 * Creates a limiter on Redis whose methods return `undefined` when Redis fails. It does not use the library's insurance
 * limiter, which hides failures of Redis, so that every request would wait for the time-out.
 */
function createRedisLimiter(redis: RedisConnection, limit: IRateLimiterOptions) {
  const limiter = new RateLimiterRedis({
    ...limit,
    storeClient: redis.client,
    // An exhausted key is refused without accessing Redis, so that a flood does not reach it.
    inMemoryBlockOnConsumed: limit.points,
  });

  async function tryRedis<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!redis.isUsable()) return undefined;
    try {
      return await command();
    } catch (err) {
      // Consumes 0 points of a probe key, because the script must work again, not only PING.
      redis.reportFailure(err, () => limiter.penalty('probe', 0));
      return undefined;
    }
  }

  return {
    consume: (key: string, cost: number) =>
      tryRedis(async () => {
        const result = await consumeFrom(limiter, key, cost);
        if (result.resetSeconds <= limiter.duration) return result;
        // The clock was set back: the in-memory block would last until the clock reaches the old time again.
        limiter.deleteInMemoryBlockedAll();
        return consumeFrom(limiter, key, cost);
      }),
    async refund(key: string, cost: number): Promise<boolean> {
      const state = await tryRedis(() => limiter.reward(key, cost));
      // The library can only clear all in-memory blocks. Redis still has the counts.
      limiter.deleteInMemoryBlockedAll();
      return state !== undefined;
    },
  };
}

/** Consumes points and converts the library's result, which rejects when the limit is exceeded. */
function consumeFrom(limiter: RateLimiterAbstract, key: string, cost: number): Promise<RateLimitResult> {
  const toResult = (isAllowed: boolean, state: RateLimiterRes): RateLimitResult => ({
    isAllowed,
    limit: limiter.points,
    remaining: state.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1_000)),
  });
  return limiter.consume(key, cost).then(
    (state) => toResult(true, state),
    (refusal) => {
      if (refusal instanceof RateLimiterRes) return toResult(false, refusal);
      throw refusal;
    },
  );
}
