import type { AccessToken } from '@keydesk/access-token';
import { createRateLimiter, type RedisConnection, rateLimit } from '@keydesk/rate-limit';
import { AppError } from '@keydesk/server';
import type { Middleware } from 'koa';
import type { Config } from '../../config.ts';
import { type LoadViewer, toViewer, type Viewer } from '../../helpdesk/people/viewer.ts';

/** Scopes of this API (RFC 6749 §3.3). */
export const scopes = {
  read: 'tickets:read',
  write: 'tickets:write',
  delete: 'tickets:delete',
} as const;

/** Scopes that every application may request; `tickets:delete` requires verification by an administrator. */
export const openScopes = [scopes.read, scopes.write] as const;

/**
 * Sets `ctx.state.viewer` from the role that an administrator granted. The role decides which tickets the viewer sees
 * and may change. Without a role, the default of machine clients, every request is rejected.
 */
export function identifyViewer({ loadViewer }: { loadViewer: LoadViewer }): Middleware {
  // The token cache returns the same object for the same token, so it maps to the same viewer.
  const viewers = new WeakMap<AccessToken, Viewer>();

  function find(token: AccessToken): Viewer | undefined {
    const cached = viewers.get(token);
    if (cached) return cached;
    const viewer = toViewer(token);
    if (viewer) viewers.set(token, viewer);
    return viewer;
  }

  return async function identifyViewerOfToken(ctx, next) {
    const viewer = find(ctx.state.caller as AccessToken);
    if (!viewer) {
      throw new AppError(
        'forbidden',
        'This request needs the role customer, agent or admin; an administrator can grant it.',
      );
    }
    ctx.state.viewer = await loadViewer(viewer);
    await next();
  };
}

export interface CallerLimitsDeps {
  config: Pick<Config, 'readsPerMinute' | 'writesPerMinute' | 'rateLimitStatus'>;
  /** Shares rate limits; `undefined`: this process counts alone. */
  redis?: RedisConnection | undefined;
}

/** Limits the reads and the writes of each caller in a minute. */
export function limitCallers({ config, redis }: CallerLimitsDeps): Middleware {
  const limiter = (name: string, points: number) =>
    createRateLimiter({ redis, keyPrefix: `keydesk:api:${name}`, points, durationSeconds: 60 });
  return rateLimit({
    policies: {
      reads: limiter('reads', config.readsPerMinute),
      writes: limiter('writes', config.writesPerMinute),
    },
    status: config.rateLimitStatus,
  });
}
