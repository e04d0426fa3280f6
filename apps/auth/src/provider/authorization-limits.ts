import { createRateLimiter, type RedisConnection, tooManyRequests } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import { networkOf } from '../accounts/network.ts';
import { errorPages } from '../interactions/error-pages.ts';
import type { Pages } from '../pages/pages.ts';
import { answerOAuthError } from './oauth-error.ts';

export interface AuthorizationLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Requests a minute; 0 for no limit. */
  perAddress: number;
  pages: Pages;
}

const WINDOW_SECONDS = 60;

/**
 * Counts what browsers are led to for the address that it comes from: strangers may go there, and each visit can store
 * a session and an interaction. Beyond the limit people get a page, and programs JSON.
 */
export function createAuthorizationLimits(options: AuthorizationLimitsOptions): Middleware {
  const { redis, perAddress: points, pages } = options;
  const limit = { redis, points, durationSeconds: WINDOW_SECONDS };
  const addresses = createRateLimiter({ ...limit, keyPrefix: 'auth:authorization:address' });
  const showErrors = errorPages(pages);

  return async function limitVisit(ctx, next) {
    const result = await addresses.consume(networkOf(ctx.ip));
    if (result.isAllowed) return next();
    const refusal = tooManyRequests(result, { status: 429 });
    if (ctx.accepts('html', 'json') === 'html') return showErrors(ctx, () => Promise.reject(refusal));
    const { code, message, status, headers } = refusal;
    answerOAuthError(ctx, { status, error: code, description: message, headers });
  };
}
