import { createRateLimiter, type RateLimitResult, type RedisConnection } from '@keydesk/rate-limit';
import type { Context, Middleware } from 'koa';
import { type Client, errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import { isResourceServer } from './client-metadata.ts';
import { answerOAuthError } from './oauth-error.ts';
import { routes } from './offered-routes.ts';

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
  /** Counts a request about a token for its address, apart from those for tokens, unless a known client has made it. */
  limitStrangers: Middleware;
  /**
   * Counts a request for a client that has proved who it is, so that strangers cannot use its limit up; one about
   * tokens apart from those for tokens, and not at all for a resource server, which may ask about the token of each
   * request that it gets (RFC 7662 §2.1).
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
      if (!result.isAllowed) return answerOAuthError(ctx, refusalOf(result));
      await next();
      if (ofKnownClients.has(ctx)) await strangers.giveBack(network);
    },
    async limitAddress(ctx, next) {
      const result = await addresses.consume(networkOf(ctx.ip));
      if (result.isAllowed) return next();
      answerOAuthError(ctx, refusalOf(result));
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
    description: `the limit of ${limit} token requests a minute is used up; it is renewed in ${resetSeconds} s`,
    headers: { 'Retry-After': String(resetSeconds) },
  };
}
