import {
  createRateLimiter,
  type RateLimiter,
  type RedisConnection,
  tooManyRequests,
} from '@keydesk/rate-limit';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import { routes } from './offered-routes.ts';

/**
 * Lets the page for user codes show a code that came with the address (`verification_uri_complete`, RFC 8628 §3.3.1).
 * The library would post it on by a script, past the eyes of the person who has to compare it.
 */
export function userCodeInAddress(): Middleware {
  return function fillUserCodeIn(ctx, next) {
    const { user_code: userCode, ...others } = ctx.query;
    if (ctx.method === 'GET' && userCode !== undefined) {
      ctx.state.userCode = [userCode].flat()[0];
      ctx.query = others;
    }
    return next();
  };
}

/** Whether a request goes on with what began on the page for user codes. */
export function isDeviceStep({ path, method }: Context): boolean {
  if (path === routes.device) return method === 'POST';
  return path.startsWith(`${routes.device}/`) && path !== routes.deviceAuthorization;
}

/**
 * Tells who has no session to begin again. The library would fail, because it keeps the token of its next form in one.
 *
 * @throws {errors.SessionNotFound}
 */
export function requireSession(provider: Provider): Middleware {
  return async function refuseStrangers(ctx, next) {
    const session = await provider.Session.get(ctx);
    if (session.exp === undefined) throw new errors.SessionNotFound('there is no session');
    await next();
  };
}

export interface UserCodeLimitsOptions {
  redis?: RedisConnection | undefined;
  /** Wrong codes an hour from one network; a household or an office mistypes some. */
  perNetwork?: number;
  /** Wrong codes an hour from somebody who is signed in, wherever they are. */
  perAccount?: number;
}

const ONE_HOUR_SECONDS = 3_600;

/**
 * Bounds how often user codes can be guessed (RFC 8628 §5.1), by address and by account. An attempt is taken before the
 * code is looked up, so that parallel guesses cannot pass together, and given back unless the code was wrong.
 */
export function createUserCodeLimits(options: UserCodeLimitsOptions) {
  const { redis, perNetwork = 30, perAccount = 10 } = options;
  const limit = { redis, durationSeconds: ONE_HOUR_SECONDS };
  const networks = createRateLimiter({ ...limit, keyPrefix: 'auth:user-code:network', points: perNetwork });
  const accounts = createRateLimiter({ ...limit, keyPrefix: 'auth:user-code:account', points: perAccount });

  async function sharesOf(ctx: Context, provider: Provider): Promise<Share[]> {
    const { accountId } = await provider.Session.get(ctx);
    const network = { limiter: networks, key: networkOf(ctx.ip) };
    return accountId === undefined ? [network] : [{ limiter: accounts, key: accountId }, network];
  }

  return (provider: Provider): Middleware =>
    async function limitUserCodes(ctx, next) {
      if (ctx.method !== 'POST') return next();
      const shares = await sharesOf(ctx, provider);
      await takeAll(shares);
      await next();
      if (ctx.state.isWrongUserCode !== true) await giveBackAll(shares);
    };
}

/** One limit, and whom it counts an attempt for. */
interface Share {
  limiter: RateLimiter;
  key: string;
}

/** @throws {AppError} `too_many_requests`, with `Retry-After` and with nothing taken */
async function takeAll(shares: readonly Share[]): Promise<void> {
  for (const [i, { limiter, key }] of shares.entries()) {
    const result = await limiter.consume(key);
    if (result.isAllowed) continue;
    await giveBackAll(shares.slice(0, i));
    throw tooManyRequests(result, { status: 429 });
  }
}

async function giveBackAll(shares: readonly Share[]): Promise<void> {
  await Promise.all(shares.map(({ limiter, key }) => limiter.giveBack(key)));
}
