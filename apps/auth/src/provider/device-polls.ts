import { hash } from 'node:crypto';
import { createRateLimiter, type RateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** The interval that devices poll at (RFC 8628 §3.2), less what the network may take from it. */
const POLL_INTERVAL_SECONDS = 4;

/** One point for each device code and interval. */
export function createDevicePolls(redis?: RedisConnection): RateLimiter {
  const interval = { points: 1, durationSeconds: POLL_INTERVAL_SECONDS };
  return createRateLimiter({ redis, keyPrefix: 'auth:device:poll', ...interval });
}

/**
 * Tells a device that polls too often to slow down (RFC 8628 §3.5). Only who still has to wait is told: nobody who may
 * have a token is kept from it.
 *
 * @param handle the library's handler of the grant
 * @param polls one point for each interval
 */
export function pacingPolls<Ctx extends KoaContextWithOIDC>(
  handle: (ctx: Ctx) => void | Promise<void>,
  polls: Pick<RateLimiter, 'consume'>,
) {
  return async function redeemDeviceCode(ctx: Ctx): Promise<void> {
    try {
      await handle(ctx);
    } catch (err) {
      if (!(err instanceof errors.AuthorizationPending)) throw err;
      const code = hash('sha256', String(ctx.oidc.params?.device_code), 'base64url');
      const { isAllowed } = await polls.consume(code);
      throw isAllowed ? err : new errors.SlowDown('poll every 5 seconds, and 5 more from now on');
    }
  };
}
