import type Provider from 'oidc-provider';
import type { AdapterFactory } from 'oidc-provider';
import type { SecondFactors } from '../accounts/factors/second-factors.ts';
import type { ProviderAudit } from '../audit/provider-audit.ts';
import type { EndpointSteps } from '../endpoints.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createAdapterFactory } from '../provider/adapter.ts';
import {
  type ClientAuthentication,
  createClientAuthentication,
} from '../provider/clients/client-authentication.ts';
import { createClientDocuments } from '../provider/clients/client-documents.ts';
import { createClientFinder, type FindClientMetadata } from '../provider/clients/client-metadata.ts';
import { createDevicePolls } from '../provider/grants/device-polls.ts';
import { createRefreshReplays, type RefreshReplays } from '../provider/grants/refresh-replays.ts';
import type { RememberedConsents } from '../provider/grants/remembered-consents.ts';
import { createUserCodeLimits, prefillUserCode, requireSession } from '../provider/grants/user-codes.ts';
import { requireFreshKeys } from '../provider/hot-provider.ts';
import { createAuthorizationLimits, createTokenLimits, type TokenLimits } from '../provider/limits.ts';
import { acceptHintsOfDeletedKeys, logOutWithoutSession } from '../provider/log-out/log-out.ts';
import type { ProviderOptions } from '../provider/provider.ts';
import { cachePublicly, reduceMetadata } from '../provider/public-documents.ts';
import { createResponseModes } from '../provider/responses/response-modes.ts';
import { createJwtAccessTokenFinder } from '../provider/tokens/api-tokens-at-userinfo.ts';
import { rejectFutureProofs } from '../provider/tokens/dpop.ts';
import { introspectAccessTokens } from '../provider/tokens/introspection.ts';
import {
  createIssuedAccessTokenFinder,
  type FindIssuedAccessToken,
} from '../provider/tokens/issued-access-tokens.ts';
import { revokeAccessTokens } from '../provider/tokens/revocation.ts';
import { createTokenEvents } from '../provider/tokens/token-events.ts';
import type { Polling } from '../security-events/polling.ts';
import { createStatusListRoute, createStatusListsRoute } from '../token-status/status-list-routes.ts';
import { errorPages } from '../web/kit/error-pages.ts';
import { createProviderPages } from '../web/protocol/error-and-log-out-pages.ts';
import { createResponsePages } from '../web/protocol/response-pages.ts';
import type { PageSupport } from './pages.ts';
import { createPollEndpoint } from './security-events.ts';
import type { SharedDeps } from './shared-deps.ts';
import type { TokenStatusArea } from './token-status.ts';

export interface ProviderAreaParts {
  ring: KeyRing;
  tokenStatus: TokenStatusArea;
  providerAudit: ProviderAudit;
  consents: RememberedConsents;
  polling: Polling;
  support: PageSupport;
  secondFactors: SecondFactors;
}

/** Parts of oidc-provider that outlive its instances; each change of the keys creates an instance. */
export interface ProviderArea {
  options: Omit<ProviderOptions, 'keys' | 'events' | 'createMiddleware'>;
  events: ProviderOptions['events'][number];
  /** Creates the steps before the endpoints of an instance. */
  createSteps(provider: Provider): EndpointSteps;
}

const MAX_DOCUMENT_AGE_SECONDS = 300;
const ONE_DAY_SECONDS = 86_400;

export function createProviderArea(shared: SharedDeps, given: ProviderAreaParts): ProviderArea {
  const { config, storage, log, now, redis, metrics, derived } = shared;
  const { ring, providerAudit, support } = given;
  const findIssued = createIssuedAccessTokenFinder({
    issuer: config.issuer,
    apiAudience: config.apiAudience,
    keys: ring.keys,
    artifacts: storage.artifacts,
    now,
  });
  const replays = createRefreshReplays({
    artifacts: storage.artifacts,
    now,
    windowSeconds: config.refreshReplaySeconds,
    onReuse: providerAudit.tokenReused,
  });
  const limits = createTokenLimits({
    redis,
    perAddress: config.tokenRateLimitPerAddress,
    perClient: config.tokenRateLimitPerClient,
  });
  const authentication = createClientAuthentication({
    clients: storage.clients,
    secretKey: derived.clientSecrets,
    now,
    onAuthenticated: limits.countForClient,
    log,
  });
  const responsePages = createResponsePages({
    pages: support.pages,
    accounts: storage.accounts,
    isConformanceProfile: config.isConformanceProfile,
  });
  const findClient = createClientFinder(storage.clients);
  const parts = { ...given, findIssued, findClient, replays, limits, authentication, responsePages };
  return {
    options: createOptions(shared, parts),
    events: createTokenEvents({ log, metrics }),
    createSteps: createStepFactory(shared, parts),
  };
}

interface Parts extends ProviderAreaParts {
  findIssued: FindIssuedAccessToken;
  findClient: FindClientMetadata;
  replays: RefreshReplays;
  limits: TokenLimits;
  authentication: ClientAuthentication;
  responsePages: ReturnType<typeof createResponsePages>;
}

function createOptions(shared: SharedDeps, parts: Parts): ProviderArea['options'] {
  const { config, storage, now, redis, derived } = shared;
  const { pages, findErrorActions, factorCookies, logOutOffers } = parts.support;
  return {
    issuer: config.issuer,
    apiAudience: config.apiAudience,
    trustedProxyHops: config.trustedProxyHops,
    allowsPrivateAddresses: config.allowsPrivateAddresses,
    isSignUpOpen: config.isSignUpOpen,
    isRegistrationOffered: config.isRegistrationOffered,
    isConformanceProfile: config.isConformanceProfile,
    accessTokenTtlSeconds: config.accessTokenTtlSeconds,
    staffAccessTokenTtlSeconds: config.staffAccessTokenTtlSeconds,
    refreshTokenIdleSeconds: config.refreshTokenIdleDays * ONE_DAY_SECONDS,
    deviceCodeTtlSeconds: config.deviceCodeTtlSeconds,
    now,
    replays: parts.replays,
    statusListUri: parts.tokenStatus.uri,
    findMachineStatus: parts.tokenStatus.findMachineStatus,
    consents: parts.consents,
    devicePolls: createDevicePolls(redis),
    adaptResponseMode: createResponseModes(parts.responsePages),
    findClient: parts.findClient,
    adapter: createAdapter(shared, parts),
    authentication: parts.authentication,
    clientDocuments: createClientDocuments({
      mode: config.mode,
      acceptsClientDocuments: config.acceptsClientDocuments,
      clientDocumentAllowedHosts: config.clientDocumentAllowedHosts,
      clientDocumentDeniedHosts: config.clientDocumentDeniedHosts,
      redis,
    }),
    accounts: storage.accounts,
    lacksSecondFactor: async (ctx, owner, methods) =>
      (await parts.secondFactors.assessSession(owner, methods, factorCookies.read(ctx))) === 'missing',
    cookieKeys: [derived.cookies],
    pages: createProviderPages({ pages, accounts: storage.accounts, findErrorActions, logOutOffers }),
  };
}

function createAdapter({ storage, derived, now }: SharedDeps, parts: Parts): AdapterFactory {
  return createAdapterFactory({
    replays: parts.replays,
    artifacts: storage.artifacts,
    sealer: derived.artifacts,
    now,
    findJwtAccessToken: createJwtAccessTokenFinder(parts.findIssued, derived.artifacts),
    findClient: parts.findClient,
    allocateStatusIndex: parts.tokenStatus.allocate,
    onReuse: parts.providerAudit.tokenReused,
  });
}

/** All instances share the counters of the limits. */
function createStepFactory(shared: SharedDeps, parts: Parts): ProviderArea['createSteps'] {
  const { config, storage, now, redis, derived } = shared;
  const { ring, support } = parts;
  const limitUserCodes = createUserCodeLimits({ redis });
  const introspect = introspectAccessTokens({
    apiAudience: config.apiAudience,
    accounts: storage.accounts,
    sealer: derived.artifacts,
    findIssued: parts.findIssued,
  });
  const halfLeadSeconds = Math.floor(config.keyPublicationLeadSeconds / 2);
  const steps = {
    awaitRecords: parts.providerAudit.awaitRecords,
    limitVisits: createAuthorizationLimits({
      redis,
      perAddress: config.authorizationRateLimitPerAddress,
      showErrors: errorPages(support.pages),
    }),
    limitAddress: parts.limits.limitAddress,
    limitTokenQueries: parts.limits.limitTokenQueries,
    rejectFutureProofs: rejectFutureProofs({ now }),
    requireFreshKeys: requireFreshKeys(ring),
    acceptHintsOfDeletedKeys: acceptHintsOfDeletedKeys(ring.keys),
    showErrors: errorPages(support.pages, support.findErrorActions),
    prefillUserCode,
    pollSecurityEvents: createPollEndpoint(shared, parts),
    sendStatusList: createStatusListRoute(parts.tokenStatus.publisher),
    sendStatusLists: createStatusListsRoute(parts.tokenStatus.uri),
    revokeAccessTokens: revokeAccessTokens({
      artifacts: storage.artifacts,
      findIssued: parts.findIssued,
      now,
      onRevoked: parts.providerAudit.accessTokenRevoked,
    }),
    cachePublicly: cachePublicly({ maxAgeSeconds: Math.min(MAX_DOCUMENT_AGE_SECONDS, halfLeadSeconds) }),
    reduceMetadata,
  };
  return (provider) => ({
    ...steps,
    limitUserCodes: limitUserCodes(provider),
    requireSession: requireSession(provider),
    introspectAccessTokens: introspect(provider),
    logOutWithoutSession: logOutWithoutSession(provider, parts.responsePages),
  });
}
