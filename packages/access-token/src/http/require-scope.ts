import { AppError } from '@keydesk/errors';
import type { Middleware } from 'koa';
import { getAuthenticated } from './authenticate.ts';

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Middleware that rejects tokens without the scope. */
export type ScopeCheck = Middleware & { readonly scope: string };

/**
 * Rejects requests whose token lacks the scope with 403 `insufficient_scope` (RFC 6750 §3.1). Use it after
 * `authenticate`.
 *
 * @throws {TypeError} when the scope is invalid (RFC 6749 §3.3)
 */
export function requireScope(scope: string): ScopeCheck {
  if (!scopeToken.test(scope)) throw new TypeError(`${JSON.stringify(scope)} is not a valid scope.`);
  const message = `The access token needs the scope ${scope}.`;
  const requireScopeOfToken: Middleware = (ctx, next) => {
    const { caller, challenge } = getAuthenticated(ctx.state, 'requireScope');
    if (!caller.scopes.has(scope)) {
      const headers = challenge({ error: 'insufficient_scope', error_description: message, scope });
      throw new AppError('insufficient_scope', message, { headers });
    }
    return next();
  };
  return Object.assign(requireScopeOfToken, { scope });
}
