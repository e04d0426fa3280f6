import type { Middleware } from 'koa';
import type { KeyRing } from '../keys/key-ring.ts';
import { answerOAuthError } from './oauth-error.ts';

const staleKeys = {
  status: 503,
  error: 'temporarily_unavailable',
  description: 'The signing keys cannot be read right now; try again shortly.',
  headers: { 'Retry-After': '1' },
};

/** Signs nothing while this process may have missed a rotation: no token is better than one that no API accepts. */
export function requireFreshKeys({ isStale }: Pick<KeyRing, 'isStale'>): Middleware {
  return function refuseStaleKeys(ctx, next) {
    return isStale() ? answerOAuthError(ctx, staleKeys) : next();
  };
}
