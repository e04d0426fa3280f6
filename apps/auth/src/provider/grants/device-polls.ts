import { hash } from 'node:crypto';
import { createRateLimiter, type RateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** Polling interval of devices (RFC 8628 §3.2), less a tolerance for network delays. */
const POLL_INTERVAL_SECONDS = 4;

/** Creates the limiter that grants one poll per device code and interval. */
export function createDevicePolls(redis?: RedisConnection): RateLimiter {
  const interval = { points: 1, durationSeconds: POLL_INTERVAL_SECONDS };
  return createRateLimiter({ redis, keyPrefix: 'auth:device:poll', ...interval });
}

/**
 * Wraps the device grant to answer `slow_down` to a device that polls too often (RFC 8628 §3.5). Only pending requests
 * are limited; a device whose request was granted always gets its token.
 *
 * @param handle oidc-provider's handler of the grant
 * @param polls limiter with one point per interval
 */
export function withPollLimit<Ctx extends KoaContextWithOIDC>(
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
      throw isAllowed ? err : new errors.SlowDown('increase the polling interval by 5 seconds');
    }
  };
}
