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
  createHealth,
  errorResponses,
  type Metrics,
  requestLog,
  sendTogether,
  trustProxyHops,
} from '@keydesk/http';
import { createRateLimiter, createReplayGuard, type RedisConnection, rateLimit } from '@keydesk/rate-limit';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { identifyViewer, openScopes } from './access.ts';
import { createChangeFeed } from './changes/change-feed.ts';
import { createEventStream } from './changes/event-stream.ts';
import { announceCommits, createFeedWatch, type FeedWatch } from './changes/feed-watch.ts';
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
import { createDeprecationNotices } from './http/announce-deprecations.ts';
import { basePathOf, mountAtBaseUrl } from './http/base-path.ts';
import { compressBodies } from './http/compression.ts';
import { cors } from './http/cors.ts';
import { identifyEpoch } from './http/epoch.ts';
import { requiredScopeOf } from './http/guarded-router.ts';
import { takeIdempotencyKeys } from './http/idempotency-key.ts';
import { answerOtherMethods } from './http/methods.ts';
import { chooseRepresentation, renderProblemInFormat } from './http/representation.ts';
import { sendVersion } from './http/send-version.ts';
import { createCorrections } from './people/correct-person.ts';
import { createMerge } from './people/merge.ts';
import type { MergedTickets } from './people/merged-tickets.ts';
import type { People } from './people/people.ts';
import { createPeopleCases } from './people/people-cases.ts';
import { createRecognise, type Recognise } from './people/recognise.ts';
import { createPeopleRoutes } from './people/routes.ts';
import { createReplies } from './replies/replies.ts';
import { createReplyRoutes } from './replies/routes.ts';
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
  /** Shared by everything in the process that changes tickets. */
  queue: TicketQueue;
  /** The issuer's public keys. */
  jwks: Jwks;
  /** Shares rate limits; `undefined`: this process counts alone. */
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
  log: Logger;
  now?: () => Date;
  newId: () => string;
  /** Operations that the API serves; default: the whole contract. */
  operations?: readonly Operation[];
  /** How often a stream of changes shows that it is alive when nothing changes. */
  heartbeatMs?: number;
  /** Time in milliseconds for which a merge of people moves tickets before it answers. */
  mergePatienceMs?: number;
}

export interface RouterDeps extends Pick<AppDeps, 'storage' | 'queue' | 'newId' | 'mergePatienceMs'> {
  config: Pick<Config, 'baseUrl' | 'replyEditMinutes'>;
  now: () => Date;
  people: People;
  mergedTickets: MergedTickets;
  catalogue: FieldCatalogue;
  definitions: DefinitionCatalogue;
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
  /** Counts as not ready from now on. */
  drain(): void;
  /** Ends the requests and streams that wait for changes, and lets none wait any more. */
  endWaits(): void;
}

/** The API as a request handler: what `main.ts` listens with, and what tests start. */
export function createApp(deps: AppDeps): App {
  const { config, metrics, log, now = () => new Date(), newId } = deps;
  const { operations = contractOperations } = deps;
  const { baseUrl } = config;
  const watch = createFeedWatch(deps.storage);
  const storage = { ...deps.storage, tickets: announceCommits(deps.storage.tickets, watch.stir) };
  const tokens = createTokenChecks({ ...deps, now });
  const health = createHealth({ checks: { storage: storage.ping } });
  const catalogue = createFieldCatalogue({ store: storage.fields, now });
  const definitions = createDefinitionCatalogue({ store: storage.definitions, now });
  const { people, mergedTickets } = createPeopleCases({ storage, catalogue, now, newId });
  const recognise = createRecognise({ people, catalogue, definitions });
  const changes = createChanges({ ...deps, storage, watch, recognise, now });
  const [limit, identify] = [limitCallers(deps), identifyViewer({ recognise })];
  const setEpoch = identifyEpoch({ read: () => storage.changes.epoch(), now });
  const takeKey = takeKeysOf(operations);
  const announceDeprecations = createDeprecationNotices(operations, baseUrl);
  // One middleware, for the router does work of its own for each.
  const guard: Middleware = (ctx, next) => {
    announceDeprecations(ctx);
    return tokens.authenticate(ctx, () =>
      limit(ctx, () => identify(ctx, () => setEpoch(ctx, () => takeKey(ctx, next)))),
    );
  };
  const shared = { ...deps, storage, now, people, mergedTickets, catalogue, definitions };
  const routers = createRouters({ ...shared, changes, guard });

  const app = new Koa();
  // What reaches Koa itself is a connection that broke while the answer was being sent.
  app.on('error', (err) => log.info({ err }, 'the answer could not be sent'));
  trustProxyHops(app, config.trustedProxyHops);
  app.use(sendTogether());
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
    // A proxy that passes on this path alone can ask for readiness through it.
    app.use(health.routes);
  }
  app.use(serveContract(config, operations));
  app.use(createEventStream({ ...changes, guard, baseUrl }));
  app.use(chooseRepresentation);
  for (const router of routers) app.use(router.routes());
  app.use(answerOtherMethods(basePathOf(baseUrl)));
  return {
    handler: app.callback(),
    drain: health.drain,
    endWaits: changes.waiters.drain,
  };
}

/** Reads the idempotency keys of requests that may be repeated. */
function takeKeysOf(operations: readonly Operation[]): Middleware {
  const repeatable = new Set(operations.filter(({ isRepeatable }) => isRepeatable).map(({ id }) => id));
  return takeIdempotencyKeys((handler) => repeatable.has(handler));
}

/** Everything that clients can ask for. */
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

/** How changes are read, and waited for. */
function createChanges(deps: ChangesDeps): RouterDeps['changes'] {
  const { storage, watch, recognise, now, config, heartbeatMs } = deps;
  const feed = createChangeFeed(storage);
  return {
    feed,
    follow: createFollow({ feed, watch, recognise, beatMs: heartbeatMs }),
    waiters: createWaiters({ now, status: config.rateLimitStatus }),
  };
}

/** Who is let in: bearers of good tokens, and of tokens bound to a key with a proof that it is theirs (RFC 9449). */
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
      scopeOf: requiredScopeOf,
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

function limitCallers({ config, redis }: AppDeps): Middleware {
  const limiter = (name: string, points: number) =>
    createRateLimiter({ redis, keyPrefix: `keydesk:api:${name}`, points, durationSeconds: 60 });
  return rateLimit({
    policies: {
      reads: limiter('reads', config.readsPerMinute),
      writes: limiter('writes', config.writesPerMinute),
    },
    status: config.rateLimitStatus,
  });
}
