import { createRateLimiter, type RateLimitResult, type RedisConnection } from '@keydesk/rate-limit';
import type { Context, Middleware } from 'koa';
import { type Client, errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import { answerOAuthError } from './oauth-error.ts';

export interface TokenLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Token requests a minute; 0 for no limit. */
  perAddress: number;
  perClient: number;
}

/** How often tokens may be asked for. */
export interface TokenLimits {
  /** Counts a request for the address it came from, before anything else is done for it. */
  limitAddress: Middleware;
  /**
   * Counts a request for a client that has proved who it is, so that strangers cannot use its limit up.
   *
   * @throws {errors.OIDCProviderError} `too_many_requests`, status 429
   */
  takeFromClient(ctx: Context, client: Client): Promise<void>;
}

const WINDOW_SECONDS = 60;

export function createTokenLimits({ redis, perAddress, perClient }: TokenLimitsOptions): TokenLimits {
  const limit = { redis, durationSeconds: WINDOW_SECONDS };
  const addresses = createRateLimiter({ ...limit, keyPrefix: 'auth:token:address', points: perAddress });
  const clients = createRateLimiter({ ...limit, keyPrefix: 'auth:token:client', points: perClient });

  return {
    async limitAddress(ctx, next) {
      const result = await addresses.consume(networkOf(ctx.ip));
      if (result.isAllowed) return next();
      answerOAuthError(ctx, refusalOf(result));
    },
    async takeFromClient(ctx, { clientId }) {
      const result = await clients.consume(clientId);
      if (result.isAllowed) return;
      const { status, error, description, headers } = refusalOf(result);
      ctx.set(headers);
      throw Object.assign(new errors.OIDCProviderError(status, error), { error_description: description });
    },
  };
}

function refusalOf({ limit, resetSeconds }: RateLimitResult) {
  return {
    status: 429,
    error: 'too_many_requests',
    description: `the limit of ${limit} token requests a minute is used up; it is renewed in ${resetSeconds} s`,
    headers: { 'Retry-After': String(resetSeconds) },
  };
}
