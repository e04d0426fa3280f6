import type { AdapterPayload, Client as ProviderClient } from 'oidc-provider';
import type { Client, ClientSecret, Role } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';

/** What a secret is recognised by. Its last use is left out: the library would take each for a change of the client. */
export type SecretRecord = Pick<ClientSecret, 'id' | 'digest' | 'expiresAt'>;

/** Our own members of a client's metadata, which the library carries along (`extraClientMetadata`). */
export const ownMetadata = {
  secrets: 'keydesk_secrets',
  role: 'keydesk_role',
  scopes: 'keydesk_scopes',
  isVerified: 'keydesk_verified',
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
    const metadata = mapped.get(client) ?? toMetadata(client);
    mapped.set(client, metadata);
    return metadata;
  };
}

/** A client as oidc-provider knows it (RFC 7591 §2). */
function toMetadata(client: Client): AdapterPayload {
  const hasPeople = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: client.type === 'native' ? 'native' : 'web',
    grant_types: [...client.grantTypes],
    response_types: hasPeople ? ['code'] : [],
    response_modes: ['query'],
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...client.postLogoutRedirectUris],
    token_endpoint_auth_method: client.authMethod,
    ...(client.secrets.length > 0 && { client_secret: SECRET_PLACEHOLDER }),
    ...(client.jwks && { jwks: client.jwks }),
    [ownMetadata.secrets]: client.secrets.map(({ id, digest, expiresAt }) => ({ id, digest, expiresAt })),
    [ownMetadata.role]: client.role,
    [ownMetadata.scopes]: client.scopes,
    // The operator vouches for what the operator registered.
    [ownMetadata.isVerified]: client.owner === null,
  };
}

export function secretsOf(client: ProviderClient): readonly SecretRecord[] {
  return client[ownMetadata.secrets] as readonly SecretRecord[];
}

export function roleOf(client: ProviderClient): Role | null {
  return client[ownMetadata.role] as Role | null;
}

/** The scopes of the API that a client may ask for. The library's own `scope` knows only those about people. */
export function registeredScopesOf(client: ProviderClient): readonly string[] {
  return client[ownMetadata.scopes] as readonly string[];
}

export function isVerified(client: ProviderClient): boolean {
  return client[ownMetadata.isVerified] as boolean;
}
