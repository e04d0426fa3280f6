import {
  createRateLimiter,
  type RateLimiter,
  type RedisConnection,
  tooManyRequests,
} from '@keydesk/rate-limit';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { toNetwork } from '../../accounts/limits/network.ts';

/**
 * Makes the user code page show a code from the URL (`verification_uri_complete`, RFC 8628 §3.3.1). oidc-provider would
 * submit it by script, so the user could not compare it first.
 */
export const prefillUserCode: Middleware = (ctx, next) => {
  const { user_code: userCode, ...others } = ctx.query;
  if (userCode !== undefined) {
    ctx.state.userCode = [userCode].flat()[0];
    ctx.query = others;
  }
  return next();
};

/**
 * Rejects requests without a session, which asks the user to start again. oidc-provider would fail, because it stores
 * the token of its next form in the session.
 *
 * @throws {errors.SessionNotFound}
 */
export function requireSession(provider: Provider): Middleware {
  return async function rejectWithoutSession(ctx, next) {
    const session = await provider.Session.get(ctx);
    if (session.exp === undefined) throw new errors.SessionNotFound('there is no session');
    await next();
  };
}

export interface UserCodeLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Wrong codes per hour from one network; a household or an office mistypes some. */
  perNetwork?: number;
  /** Wrong codes per hour from one signed-in account, on any network. */
  perAccount?: number;
}

const ONE_HOUR_SECONDS = 3_600;

/**
 * Limits guesses of user codes (RFC 8628 §5.1) by address and by account. An attempt is counted before the lookup, so
 * that parallel guesses cannot pass together, and given back unless the code was wrong.
 */
export function createUserCodeLimits(options: UserCodeLimitsOptions) {
  const { redis, perNetwork = 30, perAccount = 10 } = options;
  const limit = { redis, durationSeconds: ONE_HOUR_SECONDS };
  const networks = createRateLimiter({ ...limit, keyPrefix: 'auth:user-code:network', points: perNetwork });
  const accounts = createRateLimiter({ ...limit, keyPrefix: 'auth:user-code:account', points: perAccount });

  async function countersOf(ctx: Context, provider: Provider): Promise<Counter[]> {
    const { accountId } = await provider.Session.get(ctx);
    const network = { limiter: networks, key: toNetwork(ctx.ip) };
    return accountId === undefined ? [network] : [{ limiter: accounts, key: accountId }, network];
  }

  return (provider: Provider): Middleware =>
    async function limitUserCodes(ctx, next) {
      const shares = await countersOf(ctx, provider);
      await countAll(shares);
      await next();
      if (ctx.state.isWrongUserCode !== true) await refundAll(shares);
    };
}

/** A limiter and the key that an attempt counts for. */
interface Counter {
  limiter: RateLimiter;
  key: string;
}

/**
 * Counts an attempt against all limits.
 *
 * @throws {AppError} `too_many_requests`, with `retryAfterSeconds` and with nothing counted
 */
async function countAll(shares: readonly Counter[]): Promise<void> {
  for (const [i, { limiter, key }] of shares.entries()) {
    const result = await limiter.consume(key);
    if (result.isAllowed) continue;
    await refundAll(shares.slice(0, i));
    throw tooManyRequests(result, { status: 429 });
  }
}

async function refundAll(shares: readonly Counter[]): Promise<void> {
  await Promise.all(shares.map(({ limiter, key }) => limiter.refund(key)));
}
