import { AppError } from '@keydesk/http';
import type { Middleware } from 'koa';

export const routes = {
  token: '/token',
  jwks: '/jwks',
  openidConfiguration: '/.well-known/openid-configuration',
  serverMetadata: '/.well-known/oauth-authorization-server',
} as const;

const documentMethods = ['GET', 'HEAD', 'OPTIONS'];
const methodsOf = new Map<string, readonly string[]>([
  [routes.token, ['POST']],
  [routes.jwks, documentMethods],
  [routes.openidConfiguration, documentMethods],
  [routes.serverMetadata, documentMethods],
]);

/** Lets only what Keydesk offers reach the library, whose routes of other flows cannot all be turned off. */
export function offeredRoutes(): Middleware {
  return function requireOfferedRoute(ctx, next) {
    const methods = methodsOf.get(ctx.path);
    if (!methods) throw new AppError('not_found', 'No resource has this address.');
    if (methods.includes(ctx.method)) return next();
    throw new AppError('method_not_allowed', `This resource supports ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  };
}
