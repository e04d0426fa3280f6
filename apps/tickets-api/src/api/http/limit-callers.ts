import { createRateLimiter, type RedisConnection, rateLimit } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type { Config } from '../../config.ts';

export interface CallerLimitsDeps {
  config: Pick<Config, 'readsPerMinute' | 'writesPerMinute' | 'rateLimitStatus'>;
  /** Shares rate limits; `undefined`: this process counts alone. */
  redis?: RedisConnection | undefined;
}

/** Limits the reads and the writes of each caller in a minute. */
export function limitCallers({ config, redis }: CallerLimitsDeps): Middleware {
  const limiter = (name: string, points: number) =>
    createRateLimiter({ redis, keyPrefix: `keydesk:api:${name}`, points, durationSeconds: 60 });
  return rateLimit({
    policies: {
      reads: limiter('reads', config.readsPerMinute),
      writes: limiter('writes', config.writesPerMinute),
    },
    status: config.rateLimitStatus,
  });
}
