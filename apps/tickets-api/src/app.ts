import type { RequestListener } from 'node:http';
import {
  authenticate,
  createProofVerifier,
  createTokenVerifier,
  type Jwks,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from '@keydesk/access-token';
import {
  apiSecurityHeaders,
  batchResponses,
  createHealth,
  errorResponses,
  type Metrics,
  requestLog,
  trustProxyHops,
} from '@keydesk/http';
import { createReplayGuard, type RedisConnection } from '@keydesk/rate-limit';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { identifyViewer, openScopes } from './access.ts';
import { createChangeFeed } from './changes/change-feed.ts';
import { createEventStream } from './changes/event-stream.ts';
import { createFeedWatch, type FeedWatch, notifyOnCommit } from './changes/feed-watch.ts';
import { createFollow } from './changes/follow.ts';
import { type ChangeRoutesDeps, createChangeRoutes } from './changes/routes.ts';
import { createWaiters } from './changes/waiters.ts';
import type { Config } from './config.ts';
import type { Operation } from './contract/operation.ts';
import { operations as contractOperations } from './contract/operations.ts';
import { serveContract } from './contract/serve-contract.ts';
import { API_VERSION } from './contract/version.ts';
import { createDefinitionCatalogue, type DefinitionCatalogue } from './definitions/definition-catalogue.ts';
import { createDefinitionRouters } from './definitions/routers.ts';
import { createFieldCatalogue, type FieldCatalogue } from './fields/field-catalogue.ts';
import { createFields } from './fields/fields.ts';
import { createFieldRoutes } from './fields/routes.ts';
import { problemTypeBaseOf } from './formats/problem.ts';
import { createHistory } from './history/history.ts';
import { createHistoryRoutes } from './history/routes.ts';
import { basePathOf, mountAtBaseUrl } from './http/base-path.ts';
import { compressBodies } from './http/compression.ts';
import { cors } from './http/cors.ts';
import { createDeprecationNotices } from './http/deprecation-notices.ts';
import { identifyEpoch } from './http/epoch.ts';
import { getRequiredScope } from './http/guarded-router.ts';
import { readIdempotencyKeys } from './http/idempotency-key.ts';
import { answerUnhandled } from './http/methods.ts';
import { chooseRepresentation, renderProblemInFormat } from './http/representation.ts';
import { sendVersion } from './http/send-version.ts';
import { limitCallers } from './limit-callers.ts';
import { createCorrections } from './people/correct-person.ts';
import { createMerge } from './people/merge.ts';
import type { MergedTickets } from './people/merged-tickets.ts';
import type { People } from './people/people.ts';
import { createPeopleCases } from './people/people-cases.ts';
import { createRecognise, type Recognise } from './people/recognise.ts';
import { createPeopleRoutes } from './people/routes.ts';
import { createReplies } from './replies/replies.ts';
import { createReplyRoutes } from './replies/routes.ts';
import { createRoleCatalogue, type RoleCatalogue } from './roles/role-catalogue.ts';
import { createRoles } from './roles/roles.ts';
import { createRoleRoutes } from './roles/routes.ts';
import type { Storage } from './storage/storage.ts';
import { createCountRoutes } from './tickets/count-routes.ts';
import { createExternalRoutes } from './tickets/external-routes.ts';
import { createExternalTickets } from './tickets/external-tickets.ts';
import { createLinkRoutes } from './tickets/link-routes.ts';
import { createLinks } from './tickets/links.ts';
import { createTicketRoutes } from './tickets/routes.ts';
import { createTagRoutes } from './tickets/tag-routes.ts';
import { createTicketChanges } from './tickets/ticket-changes.ts';
import type { TicketQueue } from './tickets/ticket-queue.ts';
import { createTicketWriter } from './tickets/ticket-writer.ts';
import { createTickets } from './tickets/tickets.ts';

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
  recognise: Recognise;
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
  const recognise = createRecognise({ people, catalogue, definitions, roles });
  const changes = createChanges({ ...deps, storage, watch, recognise, now });
  const [limit, identify] = [limitCallers(deps), identifyViewer({ recognise })];
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
  const { storage, watch, recognise, now, config, heartbeatMs } = deps;
  const feed = createChangeFeed(storage);
  return {
    feed,
    follow: createFollow({ feed, watch, recognise, heartbeatMs: heartbeatMs }),
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
