import { hash } from 'node:crypto';
import type { AdapterPayload, Client as ProviderClient } from 'oidc-provider';
import type {
  Client,
  ClientProfile,
  ClientSecret,
  ClientSecurity,
  IdTokenAlgorithm,
  Role,
} from '../clients/client.ts';
import { logoPathOf } from '../clients/client-logo.ts';
import type { ClientIdentity } from '../clients/client-rules.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { requestableScopesOf } from '../clients/requestable-scopes.ts';
import { usesSecret } from '../clients/secret-list.ts';

/** What a secret is recognised by. Its last use is left out: the library would take each for a change of the client. */
export type SecretRecord = Pick<ClientSecret, 'id' | 'digest' | 'expiresAt'>;

/** Our own members of a client's metadata, which the library carries along (`extraClientMetadata`). */
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

/** The library demands a secret of clients that have one; it never learns ours, and compares nothing with this. */
const SECRET_PLACEHOLDER = 'kept-as-a-digest';

/** How the library finds a client: as it is stored right now; a disabled one is unknown. */
export function createClientFinder(clients: Pick<ClientStore, 'find'>) {
  // The store hands out the same object while a client has not changed, and so may this.
  const mapped = new WeakMap<Client, AdapterPayload>();

  return async (id: string): Promise<AdapterPayload | undefined> => {
    const client = await clients.find(id);
    if (!client || client.status === 'disabled') return undefined;
    const metadata = mapped.get(client) ?? withDigest(toMetadata(client));
    mapped.set(client, metadata);
    return metadata;
  };
}

/**
 * Answers for the JSON of the metadata by a digest of it. The library digests that JSON at every request, only to find
 * out whether the client has changed.
 */
function withDigest(metadata: AdapterPayload): AdapterPayload {
  const digest = hash('sha256', JSON.stringify(metadata));
  return Object.defineProperty(metadata, 'toJSON', { value: () => digest });
}

/** A client as oidc-provider knows it (RFC 7591 §2). */
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
    [ownMetadata.scopes]: requestableScopesOf(client),
    [ownMetadata.owner]: client.owner,
    [ownMetadata.isVerified]: client.isVerified,
    [ownMetadata.isResourceServer]: client.type === 'resource-server',
    [ownMetadata.logoDigest]: client.logoDigest,
  };
}

/** RFC 9449 §5.2, RFC 9126 §6, RFC 9101 §10.5, JARM §3, and for each what FAPI 2.0 makes of it (§5.3.2.1 no. 4, §5.3.2.2 no. 3). */
function toSecurityMetadata({ profile, ...security }: ClientSecurity): Partial<AdapterPayload> {
  const isFapi = profile === 'fapi2';
  // §5.4.1: not RS256.
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

/** The scopes that a client may ask for. The library's own `scope` knows only those about people. */
export function scopesOf(client: ProviderClient): readonly string[] {
  return client[ownMetadata.scopes] as readonly string[];
}

/** The account that registered it; `null` for one of the operator's own. */
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

/** Address of the logo that was uploaded for it; a `logo_uri` of its own is never shown. */
export function logoOf(client: ProviderClient): string | undefined {
  return logoPathOf({ id: client.clientId, logoDigest: logoDigestOf(client), status: 'active' });
}

function logoDigestOf(client: ProviderClient): string | null {
  return client[ownMetadata.logoDigest] as string | null;
}

export function isVerified(client: ProviderClient): boolean {
  return client[ownMetadata.isVerified] as boolean;
}

/** Whether its authorization requests may have a nonce instead of a code challenge. */
export function isPkceOptional(client: ProviderClient): boolean {
  return client[ownMetadata.isPkceOptional] as boolean;
}

/** Whether the operator answers for it: by having verified it, or as its owner. */
export function isVouchedFor(client: ProviderClient): boolean {
  return isVerified(client) || ownerOf(client) === null;
}

/** Whether it is the API, which may ask about every token that is for it (RFC 7662 §4). */
export function isResourceServer(client: ProviderClient): boolean {
  return client[ownMetadata.isResourceServer] as boolean;
}
