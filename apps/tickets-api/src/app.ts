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
  trustProxyHops,
} from '@keydesk/http';
import { createRateLimiter, createReplayGuard, type RedisConnection, rateLimit } from '@keydesk/rate-limit';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { scopes } from './access.ts';
import type { Config } from './config.ts';
import { serveContract } from './contract/serve-contract.ts';
import { cors } from './http/cors.ts';
import { answerOtherMethods } from './http/methods.ts';
import { chooseRepresentation, renderProblemInFormat } from './http/representation.ts';
import { createTicketRoutes } from './tickets/routes.ts';
import type { TicketStore } from './tickets/ticket-store.ts';
import { createTickets } from './tickets/tickets.ts';

export interface AppDeps {
  config: Pick<
    Config,
    'baseUrl' | 'issuer' | 'readsPerMinute' | 'writesPerMinute' | 'rateLimitStatus' | 'trustedProxyHops'
  >;
  store: TicketStore;
  /** The issuer's public keys. */
  jwks: Jwks;
  /** Shares rate limits; `undefined`: this process counts alone. */
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
  log: Logger;
  now?: () => Date;
  newId: () => string;
}

export interface App {
  handler: RequestListener;
  /** From now on `/readyz` says no. */
  drain(): void;
}

/** The API as a request handler: what `main.ts` listens with, and what tests start. */
export function createApp(deps: AppDeps): App {
  const { config, store, metrics, log, now = () => new Date(), newId } = deps;
  const { baseUrl } = config;
  const tokens = createTokenChecks({ ...deps, now });
  const health = createHealth({ checks: { storage: store.ping } });
  const guards = [tokens.authenticate, limitCallers(deps)];
  const tickets = createTicketRoutes({ tickets: createTickets({ store, now, newId }), baseUrl, guards });

  const app = new Koa();
  // What reaches Koa itself is a connection that broke while the answer was being sent.
  app.on('error', (err) => log.info({ err }, 'the answer could not be sent'));
  trustProxyHops(app, config.trustedProxyHops);
  if (metrics) app.use(metrics.httpDuration);
  app.use(requestLog({ log }));
  app.use(apiSecurityHeaders({ isHttps: baseUrl.startsWith('https:') }));
  app.use(cors());
  app.use(errorResponses({ render: renderProblemInFormat }));
  app.use(health.routes);
  app.use(tokens.metadata);
  app.use(serveContract(config));
  app.use(chooseRepresentation);
  app.use(tickets.routes());
  app.use(answerOtherMethods);
  return { handler: app.callback(), drain: health.drain };
}

/** Who is let in: bearers of good tokens, and of tokens bound to a key with a proof that it is theirs (RFC 9449). */
function createTokenChecks({ config, jwks, redis, now }: AppDeps & { now: () => Date }) {
  const { baseUrl, issuer } = config;
  const clock = () => now().getTime();
  const verifier = createTokenVerifier({ issuer, audience: baseUrl, jwks, clock });
  const replayGuard = createReplayGuard({ redis, keyPrefix: 'keydesk:api:dpop', clock });
  const proofs = createProofVerifier({ baseUrl, replayGuard, clock });
  return {
    authenticate: authenticate({
      verifier,
      proofs,
      resourceMetadataUrl: protectedResourceMetadataUrl(baseUrl),
    }),
    metadata: protectedResourceMetadata({
      resource: baseUrl,
      authorizationServers: [issuer],
      scopes: Object.values(scopes),
      proofAlgorithms: proofs.algorithms,
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
