import type { AdapterFactory, Client, Configuration } from 'oidc-provider';
import { claimsByScope } from '../accounts/account/account.ts';
import type { AccountStore } from '../accounts/account/account-store.ts';
import { acrValues } from '../accounts/account/authentication.ts';
import { idTokenAlgorithms } from '../clients/client.ts';
import { assertionAlgorithms } from '../clients/client-keys.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import {
  createDocumentFetch,
  createOutboundFetch,
  type OutboundFetchOptions,
} from '../outbound/outbound-fetch.ts';
import { createAccountFinder, createInteractionPolicy, type LacksSecondFactor } from './account-finder.ts';
import type { ClientAuthentication } from './clients/client-authentication.ts';
import type { ClientDocuments } from './clients/client-documents.ts';
import { ownMetadata } from './clients/client-metadata.ts';
import { createCookies } from './cookies.ts';
import { createAuthorizationRequests, createPkcePolicy } from './grants/authorization-requests.ts';
import { createDeviceFlow } from './grants/device-flow.ts';
import type { RememberedConsents } from './grants/remembered-consents.ts';
import { toProviderKey } from './hot-provider.ts';
import { backchannelLogout, createRpInitiatedLogout } from './log-out/log-out.ts';
import type { ProviderPages } from './provider-pages.ts';
import { createDiscovery } from './public-documents.ts';
import { requirePostableRedirectUri } from './responses/response-modes.ts';
import {
  type AccessTokenLifetimes,
  createAccessTokenLifetime,
  createResourceIndicators,
  createTokenClaims,
  type ResourceIndicatorsOptions,
  type TokenClaimsOptions,
} from './tokens/access-tokens.ts';
import { claimsParameter } from './tokens/claims-parameter.ts';
import { dpopFeature, dpopSigningAlgorithms } from './tokens/dpop.ts';
import { fapiFeature, rotatesRefreshTokens } from './tokens/fapi.ts';
import { createIntrospection } from './tokens/introspection.ts';

export interface ConfigurationOptions
  extends ResourceIndicatorsOptions,
    AccessTokenLifetimes,
    TokenClaimsOptions,
    OutboundFetchOptions {
  issuer: string;
  adapter: AdapterFactory;
  authentication: ClientAuthentication;
  keys: readonly SigningKey[];
  accounts: Pick<AccountStore, 'find'>;
  consents: Pick<RememberedConsents, 'loadGrant'>;
  /** Signing keys of cookies. */
  cookieKeys: readonly string[];
  pages: ProviderPages;
  clientDocuments: ClientDocuments;
  lacksSecondFactor: LacksSecondFactor;
  /** Whether sign-up is open to the public. */
  isSignUpOpen: boolean;
  /** Whether dynamic client registration is available. */
  isRegistrationOffered: boolean;
  /** Whether the server is weakened for the OpenID conformance suite. */
  isConformanceProfile: boolean;
  now: () => Date;
  /** Idle lifetime of a refresh token. */
  refreshTokenIdleSeconds: number;
  deviceCodeTtlSeconds: number;
}

const off = { enabled: false };
const ONE_HOUR_SECONDS = 3_600;
const ONE_DAY_SECONDS = 86_400;
/** Lifetime of a session in a browser that does not come back. */
export const SESSION_TTL_SECONDS = 14 * ONE_DAY_SECONDS;

/** Creates the configuration of oidc-provider. Defaults that Keydesk does not offer are switched off. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { issuer, cookieKeys, authentication } = options;
  const policy = createInteractionPolicy(options);
  return {
    adapter: options.adapter,
    jwks: { keys: options.keys.map(toProviderKey) },
    cookies: createCookies({
      isHttps: issuer.startsWith('https:'),
      isSentCrossSite: options.isConformanceProfile,
      keys: [...cookieKeys],
    }),
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub', 'auth_time', 'acr', 'amr'], ...toMutable(claimsByScope) },
    acrValues: [...acrValues],
    discovery: createDiscovery({ ...options, policy }),
    responseTypes: ['code'],
    extraParams: { response_mode: requirePostableRedirectUri, idp_hint: null, domain_hint: null },
    pkce: createPkcePolicy(options),
    enableHttpPostMethods: options.isConformanceProfile,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: {
      clientAuthSigningAlgValues: [...assertionAlgorithms],
      idTokenSigningAlgValues: [...idTokenAlgorithms],
      authorizationSigningAlgValues: [...idTokenAlgorithms],
      introspectionSigningAlgValues: [...idTokenAlgorithms],
      dPoPSigningAlgValues: [...dpopSigningAlgorithms],
      requestObjectSigningAlgValues: [...assertionAlgorithms],
    },
    extraClientMetadata: {
      properties: Object.values(ownMetadata),
      validator: options.clientDocuments.validator,
    },
    assertJwtClientAuthClaimsAndHeader: (ctx, claims, header, client) =>
      authentication.assertAssertion(ctx, { claims, header }, client),
    features: createFeatures(options),
    extraTokenClaims: createTokenClaims(options),
    ttl: createLifetimes(options),
    rotateRefreshToken: rotatesRefreshTokens,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    // RFC 6749 §4.1.3: the token request repeats the redirect URI, even if only one is registered.
    allowOmittingSingleRegisteredRedirectUri: false,
    // OpenID Connect Core §5.4 returns the claims of scopes at the userinfo endpoint; most client libraries read only
    // the ID token.
    conformIdTokenClaims: options.isConformanceProfile,
    findAccount: createAccountFinder(options.accounts),
    loadExistingGrant: options.consents.loadGrant,
    interactions: { policy, url: (_ctx, interaction) => interactionPathOf(interaction) },
    // The API's documentation page requests a token when a developer tries an operation there.
    clientBasedCORS: (_ctx, origin, client) =>
      isOriginOfClient(client, origin) || origin === new URL(options.apiAudience).origin,
    renderError: options.pages.renderError,
    fetch: createDocumentFetch(createOutboundFetch(options)),
  };
}

function createFeatures(options: ConfigurationOptions): Configuration['features'] {
  const { pages } = options;
  return {
    clientCredentials: { enabled: true },
    resourceIndicators: createResourceIndicators(options),
    // `ack` accepts the experiment as implemented by the version that package.json pins.
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    userinfo: { enabled: true },
    claimsParameter,
    jwtResponseModes: { enabled: true },
    clientIdMetadataDocument: options.clientDocuments.feature,
    ...createIntrospection(createAccountFinder(options.accounts)),
    rpInitiatedLogout: createRpInitiatedLogout(pages),
    deviceFlow: createDeviceFlow({ pages: pages.device, now: options.now }),
    backchannelLogout,
    devInteractions: off,
    dPoP: dpopFeature,
    ...createAuthorizationRequests(options),
    fapi: fapiFeature,
  };
}

function createLifetimes(options: ConfigurationOptions): Configuration['ttl'] {
  const accessTokenLifetime = createAccessTokenLifetime(options);
  return {
    AccessToken: accessTokenLifetime,
    ClientCredentials: accessTokenLifetime,
    AuthorizationCode: 60,
    DeviceCode: options.deviceCodeTtlSeconds,
    IdToken: ONE_HOUR_SECONDS,
    Interaction: ONE_HOUR_SECONDS,
    Session: SESSION_TTL_SECONDS,
    // It ends a refresh token family however often the token is used; refreshing does not extend it.
    Grant: 365 * ONE_DAY_SECONDS,
    RefreshToken: options.refreshTokenIdleSeconds,
  };
}

/** Returns the first page of an interaction. A return from the sign-up page does not lead there again. */
function interactionPathOf({ uid, prompt }: { uid: string; prompt: { name: string } }): string {
  return prompt.name === 'create' ? `/interaction/${uid}?prompt=create` : `/interaction/${uid}`;
}

/**
 * Whether a page of this origin belongs to the client. No page may hold a client secret, so only single-page apps
 * qualify.
 */
function isOriginOfClient(client: Client, origin: string): boolean {
  const uris = client.clientAuthMethod === 'none' ? (client.redirectUris ?? []) : [];
  // The origin of a private-use scheme is "null", as of every opaque page.
  return origin !== 'null' && uris.some((uri) => new URL(uri).origin === origin);
}

function toMutable(claims: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(claims).map(([scope, names]) => [scope, [...names]]));
}
