import { AppError } from '@keydesk/errors';
import type { Middleware, ParameterizedContext } from 'koa';
import type { RateLimiter, RateLimitResult } from './rate-limiter.ts';

/** What the middleware counts, and how it refuses. */
export interface RateLimitOptions {
  /** `reads` limits GET, HEAD and OPTIONS, `writes` every other method. */
  policies: { reads: RateLimiter; writes: RateLimiter };
  /** Whom a request is counted for; default: the client and subject of `ctx.state.caller`. */
  keyOf?: ((ctx: ParameterizedContext) => string) | undefined;
  /** Status of a refusal; default: the catalogue's 421. */
  status?: number | undefined;
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Limits how often a caller may ask. Every answer to a limited request carries the `RateLimit-Policy` and `RateLimit`
 * fields (draft-ietf-httpapi-ratelimit-headers-10, §3 and §4).
 *
 * @throws {AppError} `too_many_requests`, with `Retry-After`, beyond the limit
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

/** The refusal of a consume that was not allowed; tells when to come back in `Retry-After` (RFC 9110 §10.2.3). */
export function tooManyRequests(
  { limit, resetSeconds }: RateLimitResult,
  { status }: { status?: number | undefined } = {},
): AppError {
  return new AppError(
    'too_many_requests',
    `The limit of ${limit} requests is used up; it is renewed in ${resetSeconds} s.`,
    { status, headers: { 'Retry-After': String(resetSeconds) } },
  );
}

/** A line feed cannot occur in a client id (RFC 6749 appendix A.1), so two callers never share a key. */
function keyOfCaller(ctx: ParameterizedContext): string {
  const { clientId, subject } = ctx.state.caller;
  return `${clientId}\n${subject}`;
}
