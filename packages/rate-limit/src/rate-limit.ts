import { AppError } from '@keydesk/errors';
import type { Middleware, ParameterizedContext } from 'koa';
import type { RateLimiter, RateLimitResult } from './rate-limiter.ts';

/** Options of the `rateLimit` middleware. */
export interface RateLimitOptions {
  /** `reads` limits GET, HEAD and OPTIONS, `writes` every other method. */
  policies: { reads: RateLimiter; writes: RateLimiter };
  /** Key under which a request is counted. Default: client and subject of `ctx.state.caller`. */
  keyOf?: ((ctx: ParameterizedContext) => string) | undefined;
  /** Status of a rejected request. Default: 421, as in the catalogue. */
  status?: number | undefined;
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Limits the request rate of each caller. Every response has the `RateLimit-Policy` and `RateLimit` fields
 * (draft-ietf-httpapi-ratelimit-headers-10, §3 and §4).
 *
 * @throws {AppError} `too_many_requests`, with `retryAfterSeconds`, above the limit
 */
export function rateLimit({ policies, keyOf = keyOfCaller, status }: RateLimitOptions): Middleware {
  return async function limitRate(ctx, next) {
    const name = readMethods.has(ctx.method) ? 'reads' : 'writes';
    const limiter = policies[name];
    if (limiter.points === 0) return next();
    const result = await limiter.consume(keyOf(ctx));
    ctx.set({
      'RateLimit-Policy': `"${name}";q=${limiter.points};w=${limiter.durationSeconds}`,
      RateLimit: `"${name}";r=${result.remaining};t=${result.resetSeconds}`,
    });
    if (!result.isAllowed) throw tooManyRequests(result, { status });
    return next();
  };
}

/** Creates the error of a rejected request, with `retryAfterSeconds`. */
export function tooManyRequests(
  { limit, resetSeconds }: RateLimitResult,
  { status }: { status?: number | undefined } = {},
): AppError {
  return new AppError(
    'too_many_requests',
    `The limit of ${limit} requests is exceeded; retry in ${resetSeconds} seconds.`,
    { status, retryAfterSeconds: resetSeconds },
  );
}

/** Returns a key unique to client and subject: a client id contains no line feed (RFC 6749 appendix A.1). */
function keyOfCaller(ctx: ParameterizedContext): string {
  const { clientId, subject } = ctx.state.caller;
  return `${clientId}\n${subject}`;
}
