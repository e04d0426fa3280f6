import type { RequestListener } from 'node:http';
import type { Jwks, TokenStatusList } from '@keydesk/access-token';
import type { RedisConnection } from '@keydesk/rate-limit';
import {
  apiSecurityHeaders,
  batchResponses,
  createHealth,
  errorResponses,
  joinMiddleware,
  type Metrics,
  requestLog,
  trustProxyHops,
} from '@keydesk/server';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { identifyViewer, limitCallers } from './api/access/access.ts';
import { createStepUp } from './api/access/step-up.ts';
import { createTokenChecks } from './api/access/token-checks.ts';
import { describeStatusList } from './api/access/token-status.ts';
import { createEventStream } from './api/changes/event-stream.ts';
import { createFollow, type Follow } from './api/changes/follow.ts';
import { createChangeRoutes } from './api/changes/routes.ts';
import { createWaiters, type Waiters } from './api/changes/waiters.ts';
import { createDefinitionRoutes } from './api/definitions/routes.ts';
import { createFieldRoutes } from './api/fields/routes.ts';
import { createHistoryRoutes } from './api/history/routes.ts';
import { mountAtBaseUrl, toBasePath } from './api/http/base-path.ts';
import { compressBodies } from './api/http/compression.ts';
import { identifyEpoch } from './api/http/conditional-requests.ts';
import { readIdempotencyKeys } from './api/http/idempotency-key.ts';
import { answerUnhandled } from './api/http/methods.ts';
import { chooseRepresentation, renderProblemInFormat } from './api/http/representation.ts';
import { cors, sendVersion } from './api/http/response-headers.ts';
import { createRouting, type Route } from './api/http/routes.ts';
import { createPeopleRoutes } from './api/people/routes.ts';
import { createReplyRoutes } from './api/replies/routes.ts';
import { createRoleRoutes } from './api/roles/routes.ts';
import { createCountRoutes } from './api/tickets/count-routes.ts';
import { createExternalRoutes } from './api/tickets/external-routes.ts';
import { createLinkRoutes } from './api/tickets/link-routes.ts';
import { createTicketRoutes } from './api/tickets/routes.ts';
import { createTagRoutes } from './api/tickets/tag-routes.ts';
import { type Config, stepUpRequirementsOf } from './config.ts';
import { announceDeprecations } from './contract/deprecation.ts';
import type { Operation } from './contract/operation.ts';
import { operations as contractOperations } from './contract/operations.ts';
import { serveContract } from './contract/serve-contract.ts';
import { announceStepUp, selectStepUpOperations } from './contract/step-up.ts';
import { API_VERSION } from './contract/version.ts';
import type { TicketQueue } from './helpdesk/commit/ticket-queue.ts';
import { definitionKinds } from './helpdesk/definitions/definition.ts';
import { createFeedWatch, notifyOnCommit } from './helpdesk/feed/feed-watch.ts';
import { createHelpdesk, type Helpdesk, type HelpdeskSettings } from './helpdesk/helpdesk.ts';
import type { Storage } from './helpdesk/storage.ts';
import { toProblemTypeBase } from './wire/output/problem.ts';

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
    | keyof HelpdeskSettings
    | 'mode'
    | 'stepUpOperations'
    | 'stepUpAcrValues'
    | 'stepUpMaxAgeSeconds'
  >;
  storage: Storage;
  /** Shared by all writers of tickets in the process. */
  queue: TicketQueue;
  /** The issuer's public keys. */
  jwks: Jwks;
  /** Statuses of access tokens; `undefined`: a revoked one is accepted until it expires. */
  statusList?: TokenStatusList | undefined;
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
  mergeLimitMs?: number;
}

export interface App {
  handler: RequestListener;
  /** Reports not ready from now on. */
  drain(): void;
  /** Ends all requests and streams that wait for changes, and accepts no new ones. */
  endWaits(): void;
  /** Runs each periodic job once; ends early when the signal is aborted. */
  runJobs(signal: AbortSignal): Promise<void>;
}

/** Creates the API as a request handler, which `main.ts` serves and tests start. */
export function createApp(deps: AppDeps): App {
  const { config, queue, jwks, statusList, redis, metrics, log, now = () => new Date(), newId } = deps;
  const { operations, checkOf } = createStepUpParts(deps, now);
  const [{ baseUrl }, { mergeLimitMs }] = [config, deps];
  const watch = createFeedWatch(deps.storage);
  const storage = { ...deps.storage, tickets: notifyOnCommit(deps.storage.tickets, watch.notify) };
  const helpdesk = createHelpdesk({ config, storage, queue, log, now, newId, mergeLimitMs });
  const { feed, loadViewer } = helpdesk;
  const follow = createFollow({ feed, watch, loadViewer, heartbeatMs: deps.heartbeatMs, now, metrics });
  const waiters = createWaiters({ now, status: config.rateLimitStatus, statusList, metrics });
  const tokens = createTokenChecks({ config, jwks, statusList, redis, now });
  const health = createHealth({ checks: { storage: storage.ping }, details: describeStatusList(statusList) });
  const repeatable = operations.filter(({ isRepeatable }) => isRepeatable).map(({ id }) => id);
  // Every route runs these steps before its own.
  const pipeline: readonly Middleware[] = [
    announceDeprecations(operations, baseUrl),
    tokens.authenticate,
    limitCallers({ config, redis }),
    identifyViewer({ loadViewer }),
    identifyEpoch({ read: () => storage.changes.epoch(), now }),
    readIdempotencyKeys(new Set(repeatable)),
  ];
  const routes = createRoutes(helpdesk, { follow, waiters, baseUrl, now });

  const app = new Koa();
  // Only failures while sending the response get here, such as a closed connection.
  app.on('error', (err) => log.info({ err }, 'could not send the response'));
  trustProxyHops(app, config.trustedProxyHops);
  const basePath = toBasePath(baseUrl);
  app.use(
    joinMiddleware([
      batchResponses(),
      ...(metrics ? [metrics.httpDuration] : []),
      requestLog({ log }),
      apiSecurityHeaders({ isHttps: baseUrl.startsWith('https:') }),
      sendVersion(API_VERSION),
      cors(),
      compressBodies(),
      errorResponses({ render: renderProblemInFormat, typeBase: toProblemTypeBase(baseUrl) }),
      health.routes,
      tokens.metadata,
      // Serves the probes below the base path too, because a proxy may forward only that path.
      ...(basePath === '' ? [] : [mountAtBaseUrl(baseUrl), health.routes]),
      serveContract(config, operations),
      createEventStream({ follow, waiters, baseUrl, pipeline, checkOf }),
      chooseRepresentation as Middleware,
      createRouting(pipeline, routes, checkOf) as Middleware,
      answerUnhandled(basePath) as Middleware,
    ]),
  );
  const { runJobs } = helpdesk;
  return { handler: app.callback(), drain: health.drain, endWaits: waiters.drain, runJobs };
}

/** Creates the check of operations that need a strong or recent authentication, and announces it in the contract. */
function createStepUpParts({ config, operations = contractOperations }: AppDeps, now: () => Date) {
  const requirements = stepUpRequirementsOf(config);
  const selected = selectStepUpOperations(config.stepUpOperations, operations);
  if (!requirements) return { operations, checkOf: undefined };
  return {
    operations: announceStepUp(operations, selected, requirements),
    checkOf: createStepUp({ ...requirements, operations: selected, now }),
  };
}

interface RoutesDeps {
  follow: Follow;
  waiters: Waiters;
  baseUrl: string;
  now: () => Date;
}

/** Creates the routes of all operations. */
export function createRoutes(
  { tickets, replies, people, ...helpdesk }: Helpdesk,
  { follow, waiters, baseUrl, now }: RoutesDeps,
): readonly Route[] {
  const { externalTickets, ticketChanges, definitions, correctPerson, mergePeople } = helpdesk;
  return [
    createTicketRoutes({ tickets, baseUrl, now }),
    createExternalRoutes({ external: externalTickets, tickets, baseUrl }),
    createCountRoutes({ tickets, baseUrl, now }),
    createTagRoutes({ tags: helpdesk.tags, tickets: ticketChanges, baseUrl }),
    createLinkRoutes({ links: helpdesk.links }),
    createReplyRoutes({ replies, baseUrl }),
    createHistoryRoutes({ history: helpdesk.history, baseUrl, now }),
    createChangeRoutes({ feed: helpdesk.feed, follow, waiters }),
    createPeopleRoutes({ people, correct: correctPerson, merge: mergePeople, baseUrl }),
    createFieldRoutes({ fields: helpdesk.fields, baseUrl }),
    ...definitionKinds.map((kind) =>
      createDefinitionRoutes({ kind, definitions: definitions[kind], baseUrl }),
    ),
    createRoleRoutes({ roles: helpdesk.roles, baseUrl }),
  ].flat();
}
