import { createRateLimiter, type RedisConnection, tooManyRequests } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import { networkOf } from '../accounts/limits/network.ts';
import { sendOAuthError } from './responses/oauth-error.ts';

export interface AuthorizationLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Requests per minute; 0 disables the limit. */
  perAddress: number;
  /** Answers errors of browsers with a page. */
  showErrors: Middleware;
}

const WINDOW_SECONDS = 60;

/**
 * Limits requests to the browser endpoints per client address, because unauthenticated visits can store a session and
 * an interaction each. Beyond the limit browsers get a page, other clients JSON.
 */
export function createAuthorizationLimits(options: AuthorizationLimitsOptions): Middleware {
  const { redis, perAddress: points, showErrors } = options;
  const limit = { redis, points, durationSeconds: WINDOW_SECONDS };
  const addresses = createRateLimiter({ ...limit, keyPrefix: 'auth:authorization:address' });

  return async function limitAuthorizations(ctx, next) {
    const result = await addresses.consume(networkOf(ctx.ip));
    if (result.isAllowed) return next();
    const rejection = tooManyRequests(result, { status: 429 });
    if (ctx.accepts('html', 'json') === 'html') return showErrors(ctx, () => Promise.reject(rejection));
    const { code, message, status, headers } = rejection;
    sendOAuthError(ctx, { status, error: code, description: message, headers });
  };
}
