import { AppError } from '@keydesk/http';
import type { Middleware } from 'koa';

export const routes = {
  authorization: '/auth',
  pushedAuthorization: '/request',
  token: '/token',
  userinfo: '/me',
  revocation: '/token/revocation',
  introspection: '/token/introspection',
  endSession: '/session/end',
  deviceAuthorization: '/device/auth',
  device: '/device',
  jwks: '/jwks',
  openidConfiguration: '/.well-known/openid-configuration',
  serverMetadata: '/.well-known/oauth-authorization-server',
} as const;

/** What programs ask for, many times a second: no page has these addresses. */
export const programPaths: ReadonlySet<string> = new Set([
  routes.token,
  routes.introspection,
  routes.revocation,
  routes.userinfo,
  routes.jwks,
]);

const documentMethods = ['GET', 'HEAD', 'OPTIONS'];
const methodsOf = new Map<string, readonly string[]>([
  [routes.authorization, ['GET']],
  [routes.pushedAuthorization, ['POST', 'OPTIONS']],
  [routes.token, ['POST', 'OPTIONS']],
  [routes.userinfo, ['GET', 'POST', 'OPTIONS']],
  [routes.revocation, ['POST', 'OPTIONS']],
  [routes.introspection, ['POST']],
  [routes.deviceAuthorization, ['POST']],
  [routes.device, ['GET', 'POST']],
  [routes.endSession, ['GET']],
  [`${routes.endSession}/confirm`, ['POST']],
  [`${routes.endSession}/success`, ['GET']],
  [routes.jwks, documentMethods],
  [routes.openidConfiguration, documentMethods],
  [routes.serverMetadata, documentMethods],
]);

/** Where a request of an application or a device goes on after an interaction. */
const resumption = /^\/(auth|device)\/[\w-]+$/;

/** Where forms of applications are taken too in the certification profile (OpenID Connect Core §3.1.2.1). */
const postedTo: readonly string[] = [routes.authorization, routes.endSession];

/** Lets only what Keydesk offers reach the library, whose routes of other flows cannot all be turned off. */
export function offeredRoutes({ isConformanceProfile }: { isConformanceProfile: boolean }): Middleware {
  return function requireOfferedRoute(ctx, next) {
    const methods = methodsOf.get(ctx.path) ?? (resumption.test(ctx.path) ? ['GET'] : undefined);
    if (!methods) throw new AppError('not_found', 'No resource has this address.');
    if (methods.includes(ctx.method)) return next();
    if (isConformanceProfile && ctx.method === 'POST' && postedTo.includes(ctx.path)) return next();
    throw new AppError('method_not_allowed', `This resource supports ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  };
}
