import { createRateLimiter, type RateLimitResult, type RedisConnection } from '@keydesk/rate-limit';
import type { Context, Middleware } from 'koa';
import { type Client, errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import { isResourceServer } from './client-metadata.ts';
import { sendOAuthError } from './oauth-error.ts';
import { routes } from './offered-routes.ts';

export interface TokenLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Token requests per minute; 0 disables the limit. */
  perAddress: number;
  perClient: number;
}

/** Rate limits of the token, introspection and revocation endpoints. */
export interface TokenLimits {
  /** Counts a token request for its client address, before any other work. */
  limitAddress: Middleware;
  /**
   * Counts introspection and revocation requests for their client address, separately. Those by an authenticated client
   * are given back.
   */
  limitStrangers: Middleware;
  /**
   * Counts a request for an authenticated client, so that unauthenticated callers cannot exhaust its limit.
   * Introspection and revocation count separately, and not at all for a resource server, which may introspect the token
   * of each request it receives (RFC 7662 §2.1).
   *
   * @throws {errors.OIDCProviderError} `too_many_requests`, status 429
   */
  takeFromClient(ctx: Context, client: Client): Promise<void>;
}

const WINDOW_SECONDS = 60;
const aboutTokens: readonly string[] = [routes.introspection, routes.revocation];

export function createTokenLimits({ redis, perAddress, perClient }: TokenLimitsOptions): TokenLimits {
  const limiterOf = (whose: string, points: number) =>
    createRateLimiter({ redis, durationSeconds: WINDOW_SECONDS, keyPrefix: `auth:token:${whose}`, points });
  const [addresses, strangers] = [limiterOf('address', perAddress), limiterOf('stranger', perAddress)];
  const [clients, askers] = [limiterOf('client', perClient), limiterOf('asker', perClient)];
  const ofKnownClients = new WeakSet<Context>();

  return {
    async limitStrangers(ctx, next) {
      const network = networkOf(ctx.ip);
      const result = await strangers.consume(network);
      if (!result.isAllowed) return sendOAuthError(ctx, refusalOf(result));
      await next();
      if (ofKnownClients.has(ctx)) await strangers.refund(network);
    },
    async limitAddress(ctx, next) {
      const result = await addresses.consume(networkOf(ctx.ip));
      if (result.isAllowed) return next();
      sendOAuthError(ctx, refusalOf(result));
    },
    async takeFromClient(ctx, client) {
      const isAboutTokens = aboutTokens.includes(ctx.path);
      if (isAboutTokens) ofKnownClients.add(ctx);
      if (isAboutTokens && isResourceServer(client)) return;
      const result = await (isAboutTokens ? askers : clients).consume(client.clientId);
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
    description: `rate limit of ${limit} token requests per minute exceeded; retry in ${resetSeconds} s`,
    headers: { 'Retry-After': String(resetSeconds) },
  };
}
