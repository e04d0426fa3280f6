import type { Middleware } from 'koa';
import type { KeyRing } from '../keys/key-ring.ts';
import { sendOAuthError } from './responses/oauth-error.ts';

const staleKeys = {
  status: 503,
  error: 'temporarily_unavailable',
  description: 'Signing keys are temporarily unavailable; retry later.',
  headers: { 'Retry-After': '1' },
};

/** Rejects token requests while this process may have missed a key rotation. APIs would not accept such a token. */
export function requireFreshKeys({ isStale }: Pick<KeyRing, 'isStale'>): Middleware {
  return function rejectStaleKeys(ctx, next) {
    return isStale() ? sendOAuthError(ctx, staleKeys) : next();
  };
}
