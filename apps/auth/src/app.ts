import type { RequestListener } from 'node:http';
import type { RedisConnection } from '@keydesk/rate-limit';
import {
  apiSecurityHeaders,
  createHealth,
  errorResponses,
  type Health,
  type Metrics,
  requestLog,
} from '@keydesk/server';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { AdapterFactory } from 'oidc-provider';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Argon2Parameters } from './accounts/passwords/password-hash.ts';
import { createPurge, type Purge } from './artifacts/purge.ts';
import { type Audit, createAudit } from './audit/audit.ts';
import { createAuditRetention } from './audit/audit-retention.ts';
import { createKeyAudit } from './audit/key-audit.ts';
import { createProviderAudit, type ProviderAudit } from './audit/provider-audit.ts';
import { expireInvitations } from './clients/owners/expire-invitations.ts';
import { type AccountServices, createAccountServices } from './composition/account-services.ts';
import { assembleRegistration, type RegistrationParts } from './composition/assemble-registration.ts';
import { createPageRoutes } from './composition/page-routes.ts';
import { createPageSupport } from './composition/page-support.ts';
import { type AuthConfig, isHttps, toKeyTimings } from './config.ts';
import { type DerivedKeys, deriveKeys } from './keys/derived-keys.ts';
import { createKeyRing, type KeyRing } from './keys/key-ring.ts';
import type { Pages } from './pages/pages.ts';
import { createAdapterFactory } from './provider/adapter.ts';
import { createAuthorizationLimits } from './provider/authorization-limits.ts';
import { createClientAuthentication } from './provider/clients/client-authentication.ts';
import { createClientDocuments } from './provider/clients/client-documents.ts';
import { createClientFinder } from './provider/clients/client-metadata.ts';
import { requireFreshKeys } from './provider/fresh-keys.ts';
import { createDevicePolls } from './provider/grants/device-polls.ts';
import { createRefreshReplays, type RefreshReplays } from './provider/grants/refresh-replays.ts';
import { createRememberedConsents } from './provider/grants/remembered-consents.ts';
import { createHotProvider } from './provider/hot-provider.ts';
import { createBackChannelLogOut } from './provider/log-out/back-channel-log-out.ts';
import { createLogOutNotifications } from './provider/log-out/log-out-notifications.ts';
import { onPath } from './provider/on-path.ts';
import { createProvider } from './provider/provider.ts';
import { createProviderMiddleware } from './provider/provider-middleware.ts';
import { publicDocuments } from './provider/public-documents.ts';
import { createResponseModes } from './provider/responses/response-modes.ts';
import { createRouteFilter, routes } from './provider/routes.ts';
import { createTokenLimits } from './provider/token-limits.ts';
import { createJwtAccessTokenFinder } from './provider/tokens/api-tokens-at-userinfo.ts';
import { rejectFutureProofs } from './provider/tokens/dpop.ts';
import {
  createIssuedAccessTokenFinder,
  type FindIssuedAccessToken,
} from './provider/tokens/issued-access-tokens.ts';
import { createTokenEvents } from './provider/tokens/token-events.ts';
import type { Storage } from './storage/storage.ts';
import { errorPages } from './web/kit/error-pages.ts';
import { pageAssets } from './web/kit/page-assets.ts';
import { createProviderPages } from './web/protocol/error-and-log-out-pages.ts';
import { createResponsePages } from './web/protocol/response-pages.ts';

export interface AppDeps {
  config: AuthConfig;
  storage: Storage;
  log: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
  /** Rejected passwords; see `loadCommonPasswords`. */
  commonPasswords?: ReadonlySet<string> | undefined;
  /** Cost of password hashes; default: the recommendation of OWASP. */
  passwordParameters?: Argon2Parameters | undefined;
}

/** The authorization server without its listener. */
export interface App {
  handle: RequestListener;
  /** Makes the server not ready: `/readyz` answers 503. */
  drain(): void;
  /** Stops background work. The dependencies stay open. */
  stop(): Promise<void>;
}

const MAX_DOCUMENT_AGE_SECONDS = 300;
const PURGE_BATCH = 1_000;
const ONE_DAY_SECONDS = 86_400;

/**
 * Assembles the authorization server. Creates the first signing keys if none exist.
 *
 * @throws {Error} if the stored keys were sealed with another master secret, or the database does not respond
 */
export async function createApp(deps: AppDeps): Promise<App> {
  const { config, storage, log, clock } = deps;
  const derived = deriveKeys(config.masterSecret);
  const audit = createAudit({ store: storage.audit, log });
  const ring = createKeyRing({
    store: storage.keys,
    sealer: derived.signingKeys,
    algorithms: ['ES256', 'RS256'],
    timings: toKeyTimings(config),
    clock,
    log,
    onChanged: createKeyAudit({ audit, clock }),
  });
  const health = createHealth({ checks: { storage: storage.ping } });
  const accountServices = createAccountServices({ ...deps, audit }, derived);
  const providerAudit = createProviderAudit({ audit, clock });
  const queue = createLogOutNotifications({ ...storage, sealer: derived.artifacts, clock, newId: uuidv7 });
  const logOuts = createBackChannelLogOut({ notifications: queue, audit, clock, log });
  const registration = assembleRegistration({ ...deps, audit, derived });
  const options = createProviderOptions(deps, {
    derived,
    health,
    ring,
    findIssued: createIssuedAccessTokenFinder({ ...config, ...storage, keys: ring.keys, clock }),
    accountServices,
    audit,
    providerAudit,
    registration,
  });
  const provider = await createHotProvider({
    ring,
    build: (keys) => createProvider({ ...options, keys, events: [...options.events, logOuts] }),
    pollMs: config.keyPollSeconds * 1000,
    log,
  });
  const purge = createAppPurge(deps, registration);
  purge.start();
  return {
    handle: provider.handle,
    drain: health.drain,
    async stop() {
      await Promise.all([provider.stop(), purge.stop(), logOuts.stop()]);
      await accountServices.stop();
      await audit.stop();
    },
  };
}

interface Parts {
  derived: DerivedKeys;
  health: Health;
  ring: KeyRing;
  findIssued: FindIssuedAccessToken;
  accountServices: AccountServices;
  audit: Audit;
  providerAudit: ProviderAudit;
  registration: RegistrationParts;
}

function createProviderOptions(deps: AppDeps, parts: Parts) {
  const { derived, health, ring, findIssued, accountServices, audit, providerAudit, registration } = parts;
  const { config, storage, log, clock } = deps;
  const shown = createPageSupport(deps);
  const { pages } = shown;
  const limits = createLimits(deps, pages);
  const consents = createRememberedConsents({
    ...storage,
    sealer: derived.artifacts,
    clock,
  });
  const responsePages = createResponsePages({ ...config, ...storage, pages });
  const steps = createProviderMiddleware({ ...deps, ...shown, derived, ring, findIssued, responsePages });
  const createRoutes = createPageRoutes({ ...deps, ...shown, accountServices, derived, consents, audit });
  const replays = createRefreshReplays({
    artifacts: storage.artifacts,
    clock,
    windowSeconds: config.refreshReplaySeconds,
    onReuse: providerAudit.tokenReused,
  });
  return {
    ...config,
    clock,
    replays,
    consents,
    devicePolls: createDevicePolls(deps.redis),
    adaptResponseMode: createResponseModes(responsePages),
    adapter: createAdapter(deps, parts, replays),
    authentication: createClientAuthentication({
      clients: storage.clients,
      secretKey: derived.clientSecrets,
      clock,
      onAuthenticated: limits.countForClient,
      log,
    }),
    clientDocuments: createClientDocuments({ ...config, redis: deps.redis }),
    events: [createTokenEvents(deps), providerAudit, registration.events],
    accounts: storage.accounts,
    cookieKeys: [derived.cookies],
    refreshTokenIdleSeconds: config.refreshTokenIdleDays * ONE_DAY_SECONDS,
    pages: createProviderPages({ ...storage, ...shown }),
    createMiddleware: (provider: Provider) => [
      ...createMiddleware(deps, {
        health,
        pages,
        pageRoutes: [...createRoutes(provider), ...registration.routes],
      }),
      providerAudit.awaitRecords,
      ...createProtocolMiddleware(deps, { limits, ring }),
      ...steps(provider),
    ],
  };
}

function createAdapter(
  { storage, clock }: AppDeps,
  { derived, findIssued, providerAudit }: Parts,
  replays: RefreshReplays,
): AdapterFactory {
  const { artifacts } = storage;
  const sealer = derived.artifacts;
  return createAdapterFactory({
    replays,
    artifacts,
    sealer,
    clock,
    findJwtAccessToken: createJwtAccessTokenFinder(findIssued, sealer),
    findClient: createClientFinder(storage.clients),
    onReuse: providerAudit.tokenReused,
  });
}

function createLimits({ config, redis }: AppDeps, pages: Pages) {
  return {
    ...createTokenLimits({
      redis,
      perAddress: config.tokenRateLimitPerAddress,
      perClient: config.tokenRateLimitPerClient,
    }),
    limitVisit: createAuthorizationLimits({
      redis,
      perAddress: config.authorizationRateLimitPerAddress,
      showErrors: errorPages(pages),
    }),
  };
}

function createAppPurge(
  { config, storage, log, clock, metrics }: AppDeps,
  registration: RegistrationParts,
): Purge {
  const purged = metrics?.counter('auth_expired_purged_total', 'Expired entries deleted', []);
  return createPurge({
    stores: [
      storage.artifacts,
      storage.accountTokens,
      ...registration.expiring,
      expireInvitations(storage.clients),
      createAuditRetention(storage.audit, config.auditRetentionDays),
    ],
    clock,
    log,
    intervalSeconds: config.purgeIntervalSeconds,
    batch: PURGE_BATCH,
    onPurged: (count) => purged?.inc(count),
  });
}

/** Middleware of every request, in this order: logging, headers, errors, pages, known routes. */
function createMiddleware(
  { config, log, metrics }: AppDeps,
  { health, pages, pageRoutes }: { health: Health; pages: Pages; pageRoutes: readonly Middleware[] },
): Middleware[] {
  return [
    requestLog({ log }),
    ...(metrics ? [metrics.httpDuration] : []),
    apiSecurityHeaders({ isHttps: isHttps(config.issuer) }),
    errorResponses(),
    health.routes,
    pageAssets(pages.assets),
    ...pageRoutes,
    createRouteFilter(config),
  ];
}

/** Middleware of oidc-provider's own routes, in this order. */
function createProtocolMiddleware(
  { config, clock }: AppDeps,
  { limits, ring }: { limits: ReturnType<typeof createLimits>; ring: KeyRing },
): Middleware[] {
  const maxAgeSeconds = Math.min(MAX_DOCUMENT_AGE_SECONDS, Math.floor(config.keyPublicationLeadSeconds / 2));
  return [
    publicDocuments({ maxAgeSeconds }),
    onPath(routes.authorization, limits.limitVisit),
    onPath(routes.device, limits.limitVisit),
    onPath(routes.endSession, limits.limitVisit),
    onPath(routes.token, limits.limitAddress),
    onPath(routes.deviceAuthorization, limits.limitAddress),
    onPath(routes.pushedAuthorization, limits.limitAddress),
    // Each failed client authentication adds a record to the audit log, so their rate is limited.
    onPath(routes.introspection, limits.limitTokenQueries),
    onPath(routes.revocation, limits.limitTokenQueries),
    onPath(routes.token, rejectFutureProofs({ clock })),
    onPath(routes.pushedAuthorization, rejectFutureProofs({ clock })),
    onPath(routes.token, requireFreshKeys(ring)),
  ];
}
