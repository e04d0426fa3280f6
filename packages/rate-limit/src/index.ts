export { countForWorkers } from './count-for-workers.ts';
export { type RateLimitOptions, rateLimit, tooManyRequests } from './rate-limit.ts';
export {
  createRateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
  type RateLimitResult,
} from './rate-limiter.ts';
export { openRedis, type RedisConnection, type RedisLog } from './redis-connection.ts';
export { createReplayGuard, type ReplayGuard, type ReplayGuardOptions } from './replay-guard.ts';
