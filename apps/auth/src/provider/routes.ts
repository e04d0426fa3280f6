import { AppError } from '@keydesk/server';
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

/** Endpoints for programs, under high load; no page has these paths. */
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

/** Paths where an authorization or device request resumes after an interaction. */
const resumption = /^\/(auth|device)\/[\w-]+$/;

/** Endpoints that also accept POST in the conformance profile (OpenID Connect Core §3.1.2.1). */
const postPaths: readonly string[] = [routes.authorization, routes.endSession];

/** Rejects requests to routes that Keydesk does not offer; oidc-provider can't turn all of them off. */
export function createRouteFilter({ isConformanceProfile }: { isConformanceProfile: boolean }): Middleware {
  return function requireOfferedRoute(ctx, next) {
    const methods = methodsOf.get(ctx.path) ?? (resumption.test(ctx.path) ? ['GET'] : undefined);
    if (!methods) throw new AppError('not_found', 'No resource has this address.');
    if (methods.includes(ctx.method)) return next();
    if (isConformanceProfile && ctx.method === 'POST' && postPaths.includes(ctx.path)) return next();
    throw new AppError('method_not_allowed', `This resource supports ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  };
}
