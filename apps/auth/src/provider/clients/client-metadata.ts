import type Provider from 'oidc-provider';
import type { AdapterPayload, Client as ProviderClient } from 'oidc-provider';
import type {
  Client,
  ClientProfile,
  ClientSecret,
  ClientSecurity,
  IdTokenAlgorithm,
} from '../../clients/client.ts';
import type { ClientIdentity } from '../../clients/client-rules.ts';
import type { ClientStore } from '../../clients/client-store.ts';
import { toLogoPath } from '../../clients/logo/client-logo.ts';
import { listRequestableScopes } from '../../clients/requestable-scopes.ts';
import { usesSecret } from '../../clients/secret-list.ts';
import type { Role } from '../../values/scopes.ts';

/**
 * Stored digest of a secret. Its last use is omitted because oidc-provider would treat each update as a changed client.
 */
export type SecretRecord = Pick<ClientSecret, 'id' | 'digest' | 'expiresAt'>;

/** Our own metadata members of a client, which oidc-provider passes through (`extraClientMetadata`). */
export const ownMetadata = {
  secrets: 'keydesk_secrets',
  role: 'keydesk_role',
  profile: 'keydesk_profile',
  scopes: 'keydesk_scopes',
  owner: 'keydesk_owner',
  isVerified: 'keydesk_verified',
  isResourceServer: 'keydesk_resource_server',
  isPkceOptional: 'keydesk_pkce_optional',
  logoDigest: 'keydesk_logo',
} as const;

/** oidc-provider requires a secret of confidential clients; this placeholder is never compared. */
const SECRET_PLACEHOLDER = 'kept-as-a-digest';

/** Returns a client's metadata (RFC 7591 §2) by `client_id`: the same object until the client changes. */
export type FindClientMetadata = (id: string) => Promise<AdapterPayload | undefined>;

/** Finds clients for oidc-provider, as currently stored. A disabled client is not found. */
export function createClientFinder(clients: Pick<ClientStore, 'find'>): FindClientMetadata {
  // The store returns the same object until a client changes, so the mapped metadata can be cached by it.
  const mapped = new WeakMap<Client, AdapterPayload>();

  return async (id) => {
    const client = await clients.find(id);
    if (!client || client.status === 'disabled') return undefined;
    const metadata = mapped.get(client) ?? toMetadata(client);
    mapped.set(client, metadata);
    return metadata;
  };
}

/**
 * Makes oidc-provider find a client by the identity of its metadata. Its own lookup serializes and hashes the metadata
 * at each request to recognize a changed client (decision 23).
 */
export function findClientsByIdentity({ Client }: Provider, findMetadata: FindClientMetadata): void {
  const { find } = Client;
  const known = new WeakMap<AdapterPayload, ProviderClient>();

  Client.find = async function findByIdentity(this: typeof Client, id) {
    const metadata = typeof id === 'string' ? await findMetadata(id) : undefined;
    const client = metadata && known.get(metadata);
    if (client) return client;
    const found = await find.call(this, id);
    if (metadata && found) known.set(metadata, found);
    return found;
  };
}

/** Maps a client to the metadata of oidc-provider (RFC 7591 §2). */
function toMetadata(client: Client): AdapterPayload {
  const hasPeople = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.id,
    client_name: client.name,
    ...(client.homePage && { client_uri: client.homePage }),
    ...(client.policyUri && { policy_uri: client.policyUri }),
    ...(client.tosUri && { tos_uri: client.tosUri }),
    application_type: ['native', 'device'].includes(client.type) ? 'native' : 'web',
    grant_types: [...client.grantTypes],
    response_types: hasPeople ? ['code'] : [],
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...client.postLogoutRedirectUris],
    ...(client.backchannelLogoutUri && {
      backchannel_logout_uri: client.backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    ...(client.initiateLoginUri && { initiate_login_uri: client.initiateLoginUri }),
    token_endpoint_auth_method: client.authMethod,
    ...(usesSecret(client) && { client_secret: SECRET_PLACEHOLDER }),
    ...(client.jwks && { jwks: client.jwks }),
    [ownMetadata.secrets]: client.secrets.map(({ id, digest, expiresAt }) => ({ id, digest, expiresAt })),
    ...toSecurityMetadata(client.security),
    [ownMetadata.role]: client.role,
    [ownMetadata.scopes]: listRequestableScopes(client),
    [ownMetadata.owner]: client.owner,
    [ownMetadata.isVerified]: client.isVerified,
    [ownMetadata.isResourceServer]: client.type === 'resource-server',
    [ownMetadata.logoDigest]: client.logoDigest,
  };
}

/**
 * Maps the security settings (RFC 9449 §5.2, RFC 9126 §6, RFC 9101 §10.5, JARM §3), which FAPI 2.0 tightens (§5.3.2.1
 * no. 4, §5.3.2.2 no. 3).
 */
function toSecurityMetadata({ profile, ...security }: ClientSecurity): Partial<AdapterPayload> {
  const isFapi = profile === 'fapi2';
  // FAPI 2.0 §5.4.1 excludes RS256.
  const toAllowed = (alg: IdTokenAlgorithm) => (isFapi && alg === 'RS256' ? 'ES256' : alg);
  return {
    dpop_bound_access_tokens: isFapi || security.dpopBoundAccessTokens,
    require_pushed_authorization_requests: isFapi || security.requirePushedAuthorizationRequests,
    require_signed_request_object: security.requireSignedRequestObject,
    id_token_signed_response_alg: toAllowed(security.idTokenAlgorithm),
    authorization_signed_response_alg: toAllowed(security.authorizationResponseAlgorithm),
    [ownMetadata.profile]: profile,
    [ownMetadata.isPkceOptional]: security.isPkceOptional,
  };
}

export function secretsOf(client: ProviderClient): readonly SecretRecord[] {
  return client[ownMetadata.secrets] as readonly SecretRecord[];
}

export function profileOf(client: ProviderClient): ClientProfile | null {
  return client[ownMetadata.profile] as ClientProfile | null;
}

export function roleOf(client: ProviderClient): Role | null {
  return client[ownMetadata.role] as Role | null;
}

/** Returns the scopes that a client may request. The `scope` of oidc-provider only contains user scopes. */
export function scopesOf(client: ProviderClient): readonly string[] {
  return client[ownMetadata.scopes] as readonly string[];
}

/** Returns the account that registered the client; `null` for the operator's own. */
export function ownerOf(client: ProviderClient): string | null {
  return client[ownMetadata.owner] as string | null;
}

export function identityOf(client: ProviderClient): ClientIdentity {
  const { clientName, clientUri, redirectUris } = client;
  return {
    name: clientName ?? '',
    homePage: clientUri ?? null,
    redirectUris: redirectUris ?? [],
    logoDigest: logoDigestOf(client),
  };
}

/** Returns the URL of the uploaded logo. A `logo_uri` in the metadata is never shown. */
export function logoOf(client: ProviderClient): string | undefined {
  return toLogoPath({ id: client.clientId, logoDigest: logoDigestOf(client), status: 'active' });
}

function logoDigestOf(client: ProviderClient): string | null {
  return client[ownMetadata.logoDigest] as string | null;
}

export function isVerified(client: ProviderClient): boolean {
  return client[ownMetadata.isVerified] as boolean;
}

/** Whether authorization requests may contain a nonce instead of a code challenge. */
export function isPkceOptional(client: ProviderClient): boolean {
  return client[ownMetadata.isPkceOptional] as boolean;
}

/** Whether the operator vouches for the client, by having verified or registered it. */
export function isVouchedFor(client: ProviderClient): boolean {
  return isVerified(client) || ownerOf(client) === null;
}

/** Whether the client is the API, which may introspect every token issued for it (RFC 7662 §4). */
export function isResourceServer(client: ProviderClient): boolean {
  return client[ownMetadata.isResourceServer] as boolean;
}
