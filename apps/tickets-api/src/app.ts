import type { RequestListener } from 'node:http';
import {
  authenticate,
  createProofVerifier,
  createTokenVerifier,
  type Jwks,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from '@keydesk/access-token';
import { createReplayGuard, type RedisConnection } from '@keydesk/rate-limit';
import {
  apiSecurityHeaders,
  batchResponses,
  createHealth,
  errorResponses,
  type Metrics,
  requestLog,
  trustProxyHops,
} from '@keydesk/server';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { createEventStream } from './api/changes/event-stream.ts';
import { createFollow } from './api/changes/follow.ts';
import { type ChangeRoutesDeps, createChangeRoutes } from './api/changes/routes.ts';
import { createWaiters } from './api/changes/waiters.ts';
import { createDefinitionRouters } from './api/definitions/routers.ts';
import { createFieldRoutes } from './api/fields/routes.ts';
import { createHistoryRoutes } from './api/history/routes.ts';
import { identifyViewer, openScopes } from './api/http/access.ts';
import { basePathOf, mountAtBaseUrl } from './api/http/base-path.ts';
import { compressBodies } from './api/http/compression.ts';
import { cors } from './api/http/cors.ts';
import { identifyEpoch } from './api/http/epoch.ts';
import { getRequiredScope } from './api/http/guarded-router.ts';
import { readIdempotencyKeys } from './api/http/idempotency-key.ts';
import { limitCallers } from './api/http/limit-callers.ts';
import { answerUnhandled } from './api/http/methods.ts';
import { chooseRepresentation, renderProblemInFormat } from './api/http/representation.ts';
import { sendVersion } from './api/http/send-version.ts';
import { createPeopleRoutes } from './api/people/routes.ts';
import { createReplyRoutes } from './api/replies/routes.ts';
import { createRoleRoutes } from './api/roles/routes.ts';
import { createCountRoutes } from './api/tickets/count-routes.ts';
import { createExternalRoutes } from './api/tickets/external-routes.ts';
import { createLinkRoutes } from './api/tickets/link-routes.ts';
import { createTicketRoutes } from './api/tickets/routes.ts';
import { createTagRoutes } from './api/tickets/tag-routes.ts';
import type { Config } from './config.ts';
import { createDeprecationNotices } from './contract/deprecation-notices.ts';
import type { Operation } from './contract/operation.ts';
import { operations as contractOperations } from './contract/operations.ts';
import { serveContract } from './contract/serve-contract.ts';
import { API_VERSION } from './contract/version.ts';
import { createTicketChanges } from './helpdesk/commit/ticket-changes.ts';
import type { TicketQueue } from './helpdesk/commit/ticket-queue.ts';
import { createTicketWriter } from './helpdesk/commit/ticket-writer.ts';
import {
  createDefinitionCatalogue,
  type DefinitionCatalogue,
} from './helpdesk/definitions/definition-catalogue.ts';
import { createChangeFeed } from './helpdesk/feed/change-feed.ts';
import { createFeedWatch, type FeedWatch, notifyOnCommit } from './helpdesk/feed/feed-watch.ts';
import { createFieldCatalogue, type FieldCatalogue } from './helpdesk/fields/field-catalogue.ts';
import { createFields } from './helpdesk/fields/fields.ts';
import { createHistory } from './helpdesk/history/history.ts';
import { createLinks } from './helpdesk/links/links.ts';
import { createCorrections } from './helpdesk/people/correct-person.ts';
import { createLoadViewer, type LoadViewer } from './helpdesk/people/load-viewer.ts';
import { createMerge } from './helpdesk/people/merge.ts';
import type { MergedTickets } from './helpdesk/people/merged-tickets.ts';
import type { People } from './helpdesk/people/people.ts';
import { createPeopleCases } from './helpdesk/people/people-cases.ts';
import { createReplies } from './helpdesk/replies/replies.ts';
import { createRoleCatalogue, type RoleCatalogue } from './helpdesk/roles/role-catalogue.ts';
import { createRoles } from './helpdesk/roles/roles.ts';
import type { Storage } from './helpdesk/storage.ts';
import { createExternalTickets } from './helpdesk/tickets/external-tickets.ts';
import { createTickets } from './helpdesk/tickets/tickets.ts';
import { problemTypeBaseOf } from './wire/problem.ts';

export interface AppDeps {
  config: Pick<
    Config,
    | 'baseUrl'
    | 'issuer'
    | 'docsClientId'
    | 'readsPerMinute'
    | 'writesPerMinute'
    | 'rateLimitStatus'
    | 'trustedProxyHops'
    | 'replyEditMinutes'
  >;
  storage: Storage;
  /** Shared by all writers of tickets in the process. */
  queue: TicketQueue;
  /** The issuer's public keys. */
  jwks: Jwks;
  /** Shares rate limits between processes; `undefined`: each process counts alone. */
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
  log: Logger;
  now?: () => Date;
  newId: () => string;
  /** Operations to serve; default: the whole contract. */
  operations?: readonly Operation[];
  /** Interval of heartbeats on an idle stream of changes. */
  heartbeatMs?: number;
  /** Time in milliseconds that a merge of people spends on moving tickets before it responds. */
  mergePatienceMs?: number;
}

export interface RouterDeps extends Pick<AppDeps, 'storage' | 'queue' | 'newId' | 'mergePatienceMs'> {
  config: Pick<Config, 'baseUrl' | 'replyEditMinutes'>;
  now: () => Date;
  people: People;
  mergedTickets: MergedTickets;
  catalogue: FieldCatalogue;
  definitions: DefinitionCatalogue;
  roles: RoleCatalogue;
  changes: Omit<ChangeRoutesDeps, 'guard'>;
  guard: Middleware;
}

interface ChangesDeps extends AppDeps {
  now: () => Date;
  loadViewer: LoadViewer;
  watch: FeedWatch;
}

export interface App {
  handler: RequestListener;
  /** Reports not ready from now on. */
  drain(): void;
  /** Ends all requests and streams that wait for changes, and accepts no new ones. */
  endWaits(): void;
}

/** Creates the API as a request handler, which `main.ts` serves and tests start. */
export function createApp(deps: AppDeps): App {
  const { config, metrics, log, now = () => new Date(), newId } = deps;
  const { operations = contractOperations } = deps;
  const { baseUrl } = config;
  const watch = createFeedWatch(deps.storage);
  const storage = { ...deps.storage, tickets: notifyOnCommit(deps.storage.tickets, watch.notify) };
  const tokens = createTokenChecks({ ...deps, now });
  const health = createHealth({ checks: { storage: storage.ping } });
  const catalogue = createFieldCatalogue({ store: storage.fields, now });
  const definitions = createDefinitionCatalogue({ store: storage.definitions, now });
  const roles = createRoleCatalogue({ store: storage.roles, now });
  const { people, mergedTickets } = createPeopleCases({ storage, catalogue, now, newId });
  const loadViewer = createLoadViewer({ people, catalogue, definitions, roles });
  const changes = createChanges({ ...deps, storage, watch, loadViewer, now });
  const [limit, identify] = [limitCallers(deps), identifyViewer({ loadViewer })];
  const setEpoch = identifyEpoch({ read: () => storage.changes.epoch(), now });
  const readKey = createKeyReader(operations);
  const announceDeprecations = createDeprecationNotices(operations, baseUrl);
  // A single middleware, because the router adds overhead for each one.
  const guard: Middleware = (ctx, next) => {
    announceDeprecations(ctx);
    return tokens.authenticate(ctx, () =>
      limit(ctx, () => identify(ctx, () => setEpoch(ctx, () => readKey(ctx, next)))),
    );
  };
  const shared = { ...deps, storage, now, people, mergedTickets, catalogue, definitions, roles };
  const routers = createRouters({ ...shared, changes, guard });

  const app = new Koa();
  // Only failures while sending the response get here, such as a closed connection.
  app.on('error', (err) => log.info({ err }, 'could not send the response'));
  trustProxyHops(app, config.trustedProxyHops);
  app.use(batchResponses());
  if (metrics) app.use(metrics.httpDuration);
  app.use(requestLog({ log }));
  app.use(apiSecurityHeaders({ isHttps: baseUrl.startsWith('https:') }));
  app.use(sendVersion(API_VERSION));
  app.use(cors());
  app.use(compressBodies());
  app.use(errorResponses({ render: renderProblemInFormat, typeBase: problemTypeBaseOf(baseUrl) }));
  app.use(health.routes);
  app.use(tokens.metadata);
  if (basePathOf(baseUrl) !== '') {
    app.use(mountAtBaseUrl(baseUrl));
    // Serves the probes below the base path too, because a proxy may forward only that path.
    app.use(health.routes);
  }
  app.use(serveContract(config, operations));
  app.use(createEventStream({ ...changes, guard, baseUrl }));
  app.use(chooseRepresentation);
  for (const router of routers) app.use(router.routes());
  app.use(answerUnhandled(basePathOf(baseUrl)));
  return {
    handler: app.callback(),
    drain: health.drain,
    endWaits: changes.waiters.drain,
  };
}

/** Creates the middleware that reads the idempotency keys of repeatable operations. */
function createKeyReader(operations: readonly Operation[]): Middleware {
  const repeatable = new Set(operations.filter(({ isRepeatable }) => isRepeatable).map(({ id }) => id));
  return readIdempotencyKeys((handler) => repeatable.has(handler));
}

/** Creates the routes of all operations. */
export function createRouters({
  config,
  storage,
  queue,
  now,
  newId,
  people,
  mergedTickets,
  mergePatienceMs,
  catalogue,
  definitions,
  roles,
  changes,
  guard,
}: RouterDeps): Router[] {
  const { baseUrl, replyEditMinutes: editMinutes } = config;
  const { tickets } = storage;
  const writer = createTicketWriter({ ...storage, queue, catalogue, now, newId });
  const routes = { baseUrl, guard };
  const { people: directory, replies } = storage;
  const ticketCases = createTickets({ store: tickets, writer, people, directory, replies, newId });
  return [
    createTicketRoutes({ ...routes, now, tickets: ticketCases }),
    createExternalRoutes({
      ...routes,
      tickets: ticketCases,
      external: createExternalTickets({ store: tickets, writer, people, newId }),
    }),
    createCountRoutes({ ...routes, now, tickets: ticketCases }),
    createReplyRoutes({
      ...routes,
      replies: createReplies({ tickets, store: storage.replies, writer, people, newId, editMinutes }),
    }),
    createHistoryRoutes({ ...routes, now, history: createHistory({ tickets, store: storage.events }) }),
    createPeopleRoutes({
      ...routes,
      people,
      correct: createCorrections({ people, store: directory, now }),
      merge: createMerge({ people: directory, tickets: mergedTickets, now, patienceMs: mergePatienceMs }),
    }),
    createChangeRoutes({ ...changes, guard }),
    ...createDefinitionRouters({ ...routes, storage, writer, catalogue: definitions, now, newId }),
    createRoleRoutes({
      ...routes,
      roles: createRoles({ store: storage.roles, catalogue: roles, now, newId }),
    }),
    createTagRoutes({
      ...routes,
      tags: storage.tags,
      tickets: createTicketChanges({ store: tickets, writer, people }),
    }),
    createLinkRoutes({ ...routes, links: createLinks({ store: tickets, writer }) }),
    createFieldRoutes({
      ...routes,
      fields: createFields({ store: storage.fields, catalogue, now, newId }),
    }),
  ];
}

/** Creates the change feed, and the waiters that follow it. */
function createChanges(deps: ChangesDeps): RouterDeps['changes'] {
  const { storage, watch, loadViewer, now, config, heartbeatMs } = deps;
  const feed = createChangeFeed(storage);
  return {
    feed,
    follow: createFollow({ feed, watch, loadViewer, heartbeatMs: heartbeatMs }),
    waiters: createWaiters({ now, status: config.rateLimitStatus }),
  };
}

/** Creates the checks of access tokens: bearer tokens, and sender-constrained tokens with a DPoP proof (RFC 9449). */
function createTokenChecks({ config, jwks, redis, now }: AppDeps & { now: () => Date }) {
  const { baseUrl, issuer } = config;
  const clock = () => now().getTime();
  const verifier = createTokenVerifier({ issuer, audience: [baseUrl, `${baseUrl}/`], jwks, clock });
  const replayGuard = createReplayGuard({ redis, keyPrefix: 'keydesk:api:dpop', clock });
  const proofs = createProofVerifier({ baseUrl: new URL(baseUrl).origin, replayGuard, clock });
  return {
    authenticate: authenticate({
      verifier,
      proofs,
      resourceMetadataUrl: protectedResourceMetadataUrl(baseUrl),
      scopeOf: getRequiredScope,
    }),
    metadata: protectedResourceMetadata({
      resource: baseUrl,
      authorizationServers: [issuer],
      scopes: openScopes,
      proofAlgorithms: proofs.algorithms,
      documentationUrl: `${baseUrl}/docs`,
    }),
  };
}
