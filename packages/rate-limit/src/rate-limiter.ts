import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RedisConnection } from './redis-connection.ts';

/** How much is allowed in which time, and where it is counted. */
export interface RateLimiterOptions {
  /** Shares the count among processes; without it, or while it is unusable, each process counts alone. */
  redis?: RedisConnection | undefined;
  /** Sets this limit's counts apart from every other's in the same Redis. */
  keyPrefix: string;
  /** How much a key may consume in a window; 0 means no limit. */
  points: number;
  /** Length of the window, which begins with the first consume of a key. */
  durationSeconds: number;
}

/** What became of one consume. */
export interface RateLimitResult {
  isAllowed: boolean;
  /** Points of a window; `Infinity` without a limit. */
  limit: number;
  /** Points left in this window. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1; 0 without a limit. */
  resetSeconds: number;
}

/** Counts by key, in memory or on Redis. */
export interface RateLimiter {
  readonly points: number;
  readonly durationSeconds: number;
  /**
   * Takes `cost` points (default 1) from a key's window. Never allows more than `points` a window, however many ask
   * at once. Never fails, and never takes longer than 300 ms: when Redis does not answer, this process counts alone.
   */
  consume(key: string, cost?: number): Promise<RateLimitResult>;
  /**
   * Gives back what a consume took and what then turned out not to count. Like `consume` it never fails and is never
   * slow. A window that has ended meanwhile gives it to the next one.
   */
  giveBack(key: string, cost?: number): Promise<void>;
}

const unlimited: RateLimitResult = { isAllowed: true, limit: Infinity, remaining: Infinity, resetSeconds: 0 };

/**
 * A limit of `points` for each key and window of `durationSeconds`.
 *
 * @throws {RangeError} when the points are not a whole number from 0 or the seconds not one from 1
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
    return { points, durationSeconds, consume: async () => unlimited, giveBack: async () => undefined };

  const limit = { keyPrefix, points, duration: durationSeconds };
  const local = new RateLimiterMemory(limit);
  const shared = redis && createShared(redis, limit);

  return {
    points,
    durationSeconds,
    async consume(key, cost = 1) {
      const result = (await shared?.consume(key, cost)) ?? (await take(local, key, cost));
      // A clock that was set back makes the library count the difference.
      return { ...result, resetSeconds: Math.min(result.resetSeconds, durationSeconds) };
    },
    async giveBack(key, cost = 1) {
      if (!(await shared?.giveBack(key, cost))) await local.reward(key, cost);
    },
  };
}

/**
 * Counts in Redis; undefined when Redis cannot say. It does without the library's insurance limiter, which would
 * count locally too but keep from us that Redis failed, so that each request would find out for itself.
 */
function createShared(redis: RedisConnection, limit: IRateLimiterOptions) {
  const limiter = new RateLimiterRedis({
    ...limit,
    storeClient: redis.client,
    // A key that has used up its window is refused without asking Redis, so that a flood does not reach it.
    inMemoryBlockOnConsumed: limit.points,
  });

  async function ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!redis.isUsable()) return undefined;
    try {
      return await command();
    } catch (err) {
      // Takes nothing from a key of its own: the script must work again, and not only a PING.
      redis.reportFailure(err, () => limiter.penalty('probe', 0));
      return undefined;
    }
  }

  return {
    consume: (key: string, cost: number) =>
      ask(async () => {
        const result = await take(limiter, key, cost);
        if (result.resetSeconds <= limiter.duration) return result;
        // It refuses by itself since before the clock was set back, and would go on until it is as late again.
        limiter.deleteInMemoryBlockedAll();
        return take(limiter, key, cost);
      }),
    async giveBack(key: string, cost: number): Promise<boolean> {
      const state = await ask(() => limiter.reward(key, cost));
      // The library forgets all keys that it refuses by itself, or none; Redis still knows each.
      limiter.deleteInMemoryBlockedAll();
      return state !== undefined;
    },
  };
}

/** The library resolves what is allowed and rejects what is refused, both with the state of the window. */
function take(limiter: RateLimiterAbstract, key: string, cost: number): Promise<RateLimitResult> {
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
