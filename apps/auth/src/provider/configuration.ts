import type { AdapterFactory, Client, Configuration } from 'oidc-provider';
import { claimsByScope } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { byPassword } from '../accounts/by-password.ts';
import { idTokenAlgorithms } from '../clients/client.ts';
import { assertionAlgorithms } from '../clients/client-keys.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { createDocumentFetch } from '../outbound/document-fetch.ts';
import { createOutboundFetch, type OutboundFetchOptions } from '../outbound/outbound-fetch.ts';
import { type AccessTokenLifetimes, createAccessTokenLifetime } from './access-token-lifetime.ts';
import { createAccountFinder, createInteractionPolicy } from './account-finder.ts';
import { createAuthorizationRequests } from './authorization-requests.ts';
import { claimsParameter } from './claims-parameter.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import type { ClientDocuments } from './client-documents.ts';
import { ownMetadata } from './client-metadata.ts';
import { createCookies } from './cookies.ts';
import { createDeviceFlow } from './device-flow.ts';
import { createDiscovery } from './discovery.ts';
import { dpopFeature, dpopSigningAlgorithms } from './dpop.ts';
import { extraTokenClaims } from './extra-token-claims.ts';
import { fapiFeature, rotatesRefreshTokens } from './fapi.ts';
import { createIntrospection } from './introspection.ts';
import { backchannelLogout, createRpInitiatedLogout } from './log-out.ts';
import { createPkcePolicy } from './pkce.ts';
import { toProviderKey } from './provider-key.ts';
import type { ProviderPages } from './provider-pages.ts';
import type { RememberedConsents } from './remembered-consents.ts';
import { createResourceIndicators, type ResourceIndicatorsOptions } from './resource-indicators.ts';
import { requirePostableRedirectUri } from './response-modes.ts';

export interface ConfigurationOptions
  extends ResourceIndicatorsOptions,
    AccessTokenLifetimes,
    OutboundFetchOptions {
  issuer: string;
  adapter: AdapterFactory;
  authentication: ClientAuthentication;
  keys: readonly SigningKey[];
  accounts: Pick<AccountStore, 'find'>;
  consents: Pick<RememberedConsents, 'loadGrant'>;
  /** What cookies are signed with. */
  cookieKeys: readonly string[];
  pages: ProviderPages;
  clientDocuments: ClientDocuments;
  /** Whether anybody may open an account. */
  isSignUpOpen: boolean;
  /** Whether programs may register clients. */
  isRegistrationOffered: boolean;
  /** Whether the server is weakened as OpenID Connect's certification asks for. */
  isConformanceProfile: boolean;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** How long a refresh token may lie unused. */
  refreshTokenIdleSeconds: number;
  deviceCodeTtlSeconds: number;
}

const off = { enabled: false };
const ONE_HOUR_SECONDS = 3_600;
const ONE_DAY_SECONDS = 86_400;
/** How long somebody stays signed in in a browser that they do not come back with. */
export const SESSION_TTL_SECONDS = 14 * ONE_DAY_SECONDS;

/** What of oidc-provider is used, and how. Whatever it has on by default and Keydesk does not offer yet is off. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { issuer, cookieKeys, authentication } = options;
  const policy = createInteractionPolicy(options);
  return {
    adapter: options.adapter,
    jwks: { keys: options.keys.map(toProviderKey) },
    cookies: createCookies({
      isHttps: issuer.startsWith('https:'),
      isSentFromElsewhere: options.isConformanceProfile,
      keys: [...cookieKeys],
    }),
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub', 'auth_time', 'acr', 'amr'], ...toMutable(claimsByScope) },
    acrValues: [byPassword.acr],
    discovery: createDiscovery({ ...options, policy }),
    responseTypes: ['code'],
    extraParams: { response_mode: requirePostableRedirectUri },
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
    extraTokenClaims,
    ttl: createLifetimes(options),
    rotateRefreshToken: rotatesRefreshTokens,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    // RFC 6749 §4.1.3: clients say where the code went to, whether or not they could have gone elsewhere.
    allowOmittingSingleRegisteredRedirectUri: false,
    // OpenID Connect Core §5.4 has the claims of scopes at the userinfo endpoint; most client libraries read the ID token alone.
    conformIdTokenClaims: options.isConformanceProfile,
    findAccount: createAccountFinder(options.accounts),
    loadExistingGrant: options.consents.loadGrant,
    interactions: { policy, url: (_ctx, interaction) => interactionPathOf(interaction) },
    // The API's page for developers fetches a token for whoever tries an operation there.
    clientBasedCORS: (_ctx, origin, client) =>
      isPageOf(client, origin) || origin === new URL(options.apiAudience).origin,
    renderError: options.pages.renderError,
    fetch: createDocumentFetch(createOutboundFetch(options)),
  };
}

function createFeatures(options: ConfigurationOptions): Configuration['features'] {
  const { pages } = options;
  return {
    clientCredentials: { enabled: true },
    resourceIndicators: createResourceIndicators(options),
    // `ack` accepts the experiment as it is in the version that package.json pins.
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    userinfo: { enabled: true },
    claimsParameter,
    jwtResponseModes: { enabled: true },
    clientIdMetadataDocument: options.clientDocuments.feature,
    ...createIntrospection(createAccountFinder(options.accounts)),
    rpInitiatedLogout: createRpInitiatedLogout(pages),
    deviceFlow: createDeviceFlow(pages.device),
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
    // It ends a refresh family however often it is used, and refreshing does not extend it.
    Grant: 365 * ONE_DAY_SECONDS,
    RefreshToken: options.refreshTokenIdleSeconds,
  };
}

/** Where somebody is led first. Who comes back from the sign-up page is not led there once more. */
function interactionPathOf({ uid, prompt }: { uid: string; prompt: { name: string } }): string {
  return prompt.name === 'create' ? `/interaction/${uid}?prompt=create` : `/interaction/${uid}`;
}

/** No page of another origin may hold a client secret, so only single-page apps call from theirs. */
function isPageOf(client: Client, origin: string): boolean {
  const uris = client.clientAuthMethod === 'none' ? (client.redirectUris ?? []) : [];
  // Private-use schemes have the origin of every page that has none.
  return origin !== 'null' && uris.some((uri) => new URL(uri).origin === origin);
}

function toMutable(claims: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(claims).map(([scope, names]) => [scope, [...names]]));
}
