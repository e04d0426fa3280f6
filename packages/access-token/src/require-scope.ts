import { AppError } from '@keydesk/errors';
import type { Middleware } from 'koa';
import type { AuthenticatedState } from './authenticate.ts';

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Refuses tokens without the scope. */
export type ScopeCheck = Middleware & { readonly scope: string };

/**
 * Lets a request pass whose token carries the scope; any other is refused with 403 `insufficient_scope`
 * (RFC 6750 §3.1). It stands behind `authenticate`.
 *
 * @throws {TypeError} when the name is no scope (RFC 6749 §3.3)
 */
export function requireScope(scope: string): ScopeCheck {
  if (!scopeToken.test(scope)) throw new TypeError(`${JSON.stringify(scope)} is no scope.`);
  const message = `The access token needs the scope ${scope}.`;
  const requireScopeOfToken: Middleware = (ctx, next) => {
    const { caller, challenge } = getAuthenticated(ctx.state);
    if (!caller.scopes.has(scope)) {
      const headers = challenge({ error: 'insufficient_scope', error_description: message, scope });
      throw new AppError('insufficient_scope', message, { headers });
    }
    return next();
  };
  return Object.assign(requireScopeOfToken, { scope });
}

/** A route that nothing authenticates is our bug, and must fail rather than pass. */
function getAuthenticated({ caller, challenge }: Partial<AuthenticatedState>) {
  if (!caller || !challenge) throw new Error('No authenticate() stands before this route.');
  return { caller, challenge };
}
