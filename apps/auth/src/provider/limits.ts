import {
  createRateLimiter,
  type RateLimitResult,
  type RedisConnection,
  tooManyRequests,
} from '@keydesk/rate-limit';
import { toErrorHeaders } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import { type Client, errors } from 'oidc-provider';
import { toNetwork } from '../accounts/limits/network.ts';
import { isResourceServer } from './clients/client-metadata.ts';
import { sendOAuthError } from './responses/oauth-error.ts';
import { routes } from './routes.ts';

interface TokenLimitsOptions {
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
  limitTokenQueries: Middleware;
  /**
   * Counts a request for an authenticated client, so that unauthenticated callers cannot exhaust its limit.
   * Introspection and revocation count separately, and not at all for a resource server, which may introspect the token
   * of each request it receives (RFC 7662 §2.1).
   *
   * @throws {errors.OIDCProviderError} `too_many_requests`, status 429
   */
  countForClient(ctx: Context, client: Client): Promise<void>;
}

const WINDOW_SECONDS = 60;
const queryPaths: readonly string[] = [routes.introspection, routes.revocation];

export function createTokenLimits({ redis, perAddress, perClient }: TokenLimitsOptions): TokenLimits {
  const limiterOf = (whose: string, points: number) =>
    createRateLimiter({ redis, durationSeconds: WINDOW_SECONDS, keyPrefix: `auth:token:${whose}`, points });
  const [addresses, queryAddresses] = [limiterOf('address', perAddress), limiterOf('stranger', perAddress)];
  const [clients, queryClients] = [limiterOf('client', perClient), limiterOf('asker', perClient)];
  const authenticated = new WeakSet<Context>();

  return {
    async limitTokenQueries(ctx, next) {
      const network = toNetwork(ctx.ip);
      const result = await queryAddresses.consume(network);
      if (!result.isAllowed) return sendOAuthError(ctx, toRateLimitError(result));
      await next();
      if (authenticated.has(ctx)) await queryAddresses.refund(network);
    },
    async limitAddress(ctx, next) {
      const result = await addresses.consume(toNetwork(ctx.ip));
      if (result.isAllowed) return next();
      sendOAuthError(ctx, toRateLimitError(result));
    },
    async countForClient(ctx, client) {
      const isQuery = queryPaths.includes(ctx.path);
      if (isQuery) authenticated.add(ctx);
      if (isQuery && isResourceServer(client)) return;
      const result = await (isQuery ? queryClients : clients).consume(client.clientId);
      if (result.isAllowed) return;
      const { status, error, description, headers } = toRateLimitError(result);
      ctx.set(headers);
      throw Object.assign(new errors.OIDCProviderError(status, error), { error_description: description });
    },
  };
}

function toRateLimitError({ limit, resetSeconds }: RateLimitResult) {
  return {
    status: 429,
    error: 'too_many_requests',
    description: `rate limit of ${limit} token requests per minute exceeded; retry in ${resetSeconds} s`,
    headers: { 'Retry-After': String(resetSeconds) },
  };
}

interface AuthorizationLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Requests per minute; 0 disables the limit. */
  perAddress: number;
  /** Answers errors of browsers with a page. */
  showErrors: Middleware;
}

/**
 * Limits requests to the browser endpoints per client address, because unauthenticated visits can store a session and
 * an interaction each. Beyond the limit browsers get a page, other clients JSON.
 */
export function createAuthorizationLimits(options: AuthorizationLimitsOptions): Middleware {
  const { redis, perAddress: points, showErrors } = options;
  const limit = { redis, points, durationSeconds: WINDOW_SECONDS };
  const addresses = createRateLimiter({ ...limit, keyPrefix: 'auth:authorization:address' });

  return async function limitAuthorizations(ctx, next) {
    const result = await addresses.consume(toNetwork(ctx.ip));
    if (result.isAllowed) return next();
    const rejection = tooManyRequests(result, { status: 429 });
    if (ctx.accepts('html', 'json') === 'html') return showErrors(ctx, () => Promise.reject(rejection));
    const { code, message, status } = rejection;
    sendOAuthError(ctx, { status, error: code, description: message, headers: toErrorHeaders(rejection) });
  };
}
