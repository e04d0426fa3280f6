import { AppError, joinMiddleware } from '@keydesk/server';
import type { Middleware } from 'koa';
import { routes } from './provider/routes.ts';

/** An endpoint of oidc-provider, with the steps that run before it answers. */
export interface Endpoint {
  path: string | RegExp;
  methods: readonly string[];
  /** Limits, checks and audit, joined in the order of execution. */
  steps: Middleware;
}

/** Steps of oidc-provider's endpoints; each is documented at its function. */
export type EndpointSteps = Readonly<
  Record<
    | 'awaitRecords'
    | 'limitVisits'
    | 'limitAddress'
    | 'limitTokenQueries'
    | 'limitUserCodes'
    | 'rejectFutureProofs'
    | 'requireFreshKeys'
    | 'requireSession'
    | 'acceptHintsOfDeletedKeys'
    | 'showErrors'
    | 'prefillUserCode'
    | 'introspectAccessTokens'
    | 'revokeAccessTokens'
    | 'logOutWithoutSession'
    | 'cachePublicly'
    | 'reduceMetadata'
    | 'pollSecurityEvents'
    | 'sendStatusList'
    | 'sendStatusLists',
    Middleware
  >
>;

/** Steps of all requests, and Keydesk's own endpoints, which pass on the requests of others. */
export type ServerSteps = Readonly<
  Record<
    | 'sendTogether'
    | 'logRequest'
    | 'setSecurityHeaders'
    | 'sendErrors'
    | 'answerProbes'
    | 'serveAssets'
    | 'serveLogos'
    | 'upstreamPages'
    | 'interactionPages'
    | 'accountPages'
    | 'redirectHome'
    | 'showErrorsToBrowsers',
    Middleware
  > &
    /** `undefined` if switched off. */
    Record<'measureDuration' | 'developerPages' | 'registration', Middleware | undefined>
>;

const documents = ['GET', 'HEAD', 'OPTIONS'];
/** Endpoints that browser applications call. */
const crossOrigin = [routes.pushedAuthorization, routes.token, routes.revocation, routes.userinfo];

/**
 * Lists the endpoints of oidc-provider that Keydesk offers, and its own for clients. Requests to other endpoints are
 * rejected.
 */
export function listEndpoints(steps: EndpointSteps, options: { isConformanceProfile: boolean }): Endpoint[] {
  const { awaitRecords: audit, limitVisits, limitAddress, limitTokenQueries, limitUserCodes } = steps;
  const { rejectFutureProofs, requireFreshKeys, requireSession, acceptHintsOfDeletedKeys } = steps;
  const { showErrors, prefillUserCode, introspectAccessTokens, revokeAccessTokens, logOutWithoutSession } =
    steps;
  const { cachePublicly, reduceMetadata, pollSecurityEvents, sendStatusList, sendStatusLists } = steps;
  // OpenID Connect Core §3.1.2.1 requires POST as well.
  const visit = options.isConformanceProfile ? ['GET', 'POST'] : ['GET'];

  return [
    at(routes.authorization, visit, audit, limitVisits),
    at(routes.resumption, ['GET'], audit),
    at(routes.pushedAuthorization, ['POST'], audit, limitAddress, rejectFutureProofs),
    at(routes.token, ['POST'], audit, limitAddress, rejectFutureProofs, requireFreshKeys),
    // Each failed client authentication adds a record to the audit log, so the rate is limited.
    at(routes.introspection, ['POST'], audit, limitTokenQueries, introspectAccessTokens),
    at(routes.revocation, ['POST'], audit, limitTokenQueries, revokeAccessTokens),
    at(routes.userinfo, ['GET', 'POST'], audit),
    at(routes.deviceAuthorization, ['POST'], audit, limitAddress),
    at(routes.device, ['GET'], audit, limitVisits, prefillUserCode),
    at(routes.device, ['POST'], audit, limitVisits, showErrors, limitUserCodes, requireSession),
    at(routes.deviceResumption, ['GET'], audit, showErrors, requireSession),
    at(routes.endSession, visit, audit, limitVisits, logOutWithoutSession, acceptHintsOfDeletedKeys),
    // oidc-provider saves the session outside of its own error handling.
    at(routes.endSessionConfirmation, ['POST'], audit, showErrors),
    at(routes.endSessionSuccess, ['GET'], audit),
    at(routes.securityEvents, ['POST'], requireFreshKeys, pollSecurityEvents),
    at(routes.tokenStatusList, documents, requireFreshKeys, sendStatusList),
    at(routes.tokenStatusLists, documents, cachePublicly, sendStatusLists),
    // Preflight requests of browsers count against no limit.
    ...crossOrigin.map((path) => at(path, ['OPTIONS'], audit)),
    at(routes.jwks, documents, cachePublicly),
    at(routes.openidConfiguration, documents, cachePublicly, reduceMetadata),
    at(routes.serverMetadata, documents, cachePublicly, reduceMetadata),
  ];
}

/** Lists the middleware before oidc-provider's router, in the order of execution. */
export function listMiddleware(steps: ServerSteps, endpoints: readonly Endpoint[]): Middleware[] {
  const find = createFinder(endpoints);
  return [
    steps.sendTogether,
    steps.logRequest,
    steps.measureDuration,
    steps.setSecurityHeaders,
    steps.sendErrors,
    steps.answerProbes,
    steps.serveAssets,
    ...[
      steps.serveLogos,
      steps.upstreamPages,
      steps.interactionPages,
      steps.accountPages,
      steps.developerPages,
      steps.redirectHome,
    ].map((pages) => pages && exceptAtEndpoints(find, pages)),
    steps.showErrorsToBrowsers,
    steps.registration,
    dispatch(find),
  ].filter((step) => step !== undefined);
}

function at(path: string | RegExp, methods: readonly string[], ...steps: readonly Middleware[]): Endpoint {
  return { path, methods, steps: joinMiddleware(steps) };
}

type FindEndpoints = (path: string) => readonly Endpoint[] | undefined;

function createFinder(endpoints: readonly Endpoint[]): FindEndpoints {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const patterns = [...byPath.keys()].filter((path) => path instanceof RegExp);
  return (path) => byPath.get(path) ?? byPath.get(patterns.find((pattern) => pattern.test(path)) ?? '');
}

/** Skips a router of pages for endpoints under high load; no page has their paths. */
function exceptAtEndpoints(find: FindEndpoints, pages: Middleware): Middleware {
  return (ctx, next) => (find(ctx.path) ? next() : pages(ctx, next));
}

/** Runs the steps of the requested endpoint. */
function dispatch(find: FindEndpoints): Middleware {
  return async function runSteps(ctx, next) {
    const atPath = find(ctx.path);
    if (!atPath) throw new AppError('not_found', 'No resource has this address.');
    const endpoint = atPath.find(({ methods }) => methods.includes(ctx.method));
    if (!endpoint) throw methodNotAllowed(atPath.flatMap(({ methods }) => methods).join(', '));
    // Metrics and traces name requests that its steps reject, too.
    if (typeof endpoint.path === 'string') ctx._matchedRoute = endpoint.path;
    return endpoint.steps(ctx, next);
  };
}

function methodNotAllowed(methods: string): AppError {
  return new AppError('method_not_allowed', `This resource supports ${methods}.`, {
    headers: { Allow: methods },
  });
}
