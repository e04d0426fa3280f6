import { type Config, yesOrNo } from '@keydesk/config';
import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import { type Client, type ClientMetadata, type Configuration, errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import type { ApplicationType } from '../clients/client.ts';
import { findFaults } from '../clients/client-faults.ts';
import type { ClientRequest } from '../clients/client-rules.ts';
import { isReserved } from '../clients/requestable-scopes.ts';
import { apiScopes, personScopes } from '../scopes.ts';
import { ownMetadata, scopesOf } from './client-metadata.ts';

/** The setting of client ID metadata documents. */
export const clientDocumentSettings = {
  takesClientDocuments: {
    env: 'CLIENT_ID_METADATA_DOCUMENTS',
    schema: yesOrNo
      .default(false)
      .describe(
        'Whether a `client_id` may be the https URL of a document that describes the client, unknown to the server before',
      ),
  },
} as const;

export type ClientDocumentConfig = Config<typeof clientDocumentSettings>;

export interface ClientDocumentsOptions extends ClientDocumentConfig {
  redis?: RedisConnection | undefined;
}

type Features = NonNullable<Configuration['features']>;

/** How clients that describe themselves by a document are taken. */
export interface ClientDocuments {
  feature: NonNullable<Features['clientIdMetadataDocument']>;
  /** Takes none of our own members from a document: `extraClientMetadata.validator` of the library. */
  validator(ctx: unknown, key: string, value: unknown, metadata: ClientMetadata): void;
}

const DOCUMENTS_A_MINUTE = 20;
const CACHE_SECONDS = { min: 60, max: 3_600 };
const grantTypes = ['authorization_code', 'refresh_token'];

/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). The library fetches them, by our own
 * `fetch` for strangers' addresses, 5 KB at most, and keeps them a while; here they come under the rules that every
 * client of a developer's is under that nobody vouches for.
 */
export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const limiter = createRateLimiter({
    redis: options.redis,
    keyPrefix: 'auth:client-document:address',
    points: DOCUMENTS_A_MINUTE,
    durationSeconds: 60,
  });
  return {
    feature: {
      enabled: options.takesClientDocuments,
      // Accepts the draft as it is in the version that package.json pins.
      ack: 'draft-02',
      cacheDuration: CACHE_SECONDS,
      // Nobody makes the server call others' machines without end. Pages of ours come after a request that was counted.
      allowFetch: async (ctx: { ip: string } | undefined) =>
        ctx === undefined || (await limiter.consume(networkOf(ctx.ip))).isAllowed,
      allowClient: (_ctx, client) => requireRules(client),
    },
    validator(_ctx, key, _value, metadata) {
      if (isDocument(metadata.client_id)) setOwnMember(metadata, key);
    },
  };
}

/** Whether a `client_id` is the address of a document: no client of our own has one like this. */
export function isDocument(clientId: string): boolean {
  return /^https:/i.test(clientId) && URL.canParse(clientId);
}

/** What is ours to say about a client by a document, whatever it says itself. */
const ownMembers: Readonly<Record<string, (metadata: ClientMetadata) => unknown>> = {
  [ownMetadata.secrets]: () => [],
  [ownMetadata.role]: () => null,
  [ownMetadata.owner]: ({ client_id }) => client_id,
  [ownMetadata.isVerified]: () => false,
  [ownMetadata.isResourceServer]: () => false,
  [ownMetadata.profile]: () => null,
  [ownMetadata.isPkceOptional]: () => false,
  [ownMetadata.scopes](metadata) {
    const { scope } = metadata;
    // The library would take it for a list of the scopes about people alone.
    delete metadata.scope;
    return scope === undefined ? unreservedScopes : scope.split(' ').filter(Boolean);
  },
};
const unreservedScopes = [...personScopes, ...apiScopes].filter((scope) => !isReserved(scope));

function setOwnMember(metadata: ClientMetadata, key: string): void {
  metadata[key] = ownMembers[key]?.(metadata);
  // People are told the one thing about it that is proved.
  metadata.client_uri = metadata.client_id;
}

/** @throws {errors.InvalidClientMetadata} naming every rule that a client by a document breaks */
function requireRules(client: Client): true {
  const faults = findFaults(toRequest(client), false)
    // The library fetches keys, and checks them, when they are needed.
    .filter(({ field }) => !(client.jwksUri && field.startsWith('jwks')))
    .map(({ field, message }) => `${field} ${message}`);
  if (client.grantTypes?.some((grant) => !grantTypes.includes(grant)))
    faults.push(`grant_types may have ${grantTypes.join(', ')}`);
  if (faults.length > 0) throw new errors.InvalidClientMetadata(faults.join('; '));
  return true;
}

function toRequest(client: Client): ClientRequest {
  const { clientId, clientName, clientAuthMethod, redirectUris, postLogoutRedirectUris, jwks } = client;
  return {
    type: typeOf(client),
    name: clientName ?? new URL(clientId).host,
    scopes: scopesOf(client),
    homePage: clientId,
    policyUri: client.policyUri,
    tosUri: client.tosUri,
    authMethod: clientAuthMethod === 'private_key_jwt' ? 'private_key_jwt' : 'none',
    ...(clientAuthMethod === 'private_key_jwt' && { jwks }),
    redirectUris,
    postLogoutRedirectUris,
  };
}

function typeOf({ applicationType, clientAuthMethod }: Client): ApplicationType {
  if (applicationType === 'native') return 'native';
  return clientAuthMethod === 'none' ? 'spa' : 'web';
}
