import { type Config, yesOrNo } from '@keydesk/config';
import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import { type Client, type ClientMetadata, type Configuration, errors } from 'oidc-provider';
import { networkOf } from '../accounts/network.ts';
import type { ApplicationType } from '../clients/client.ts';
import { findFaults } from '../clients/client-faults.ts';
import type { ClientRequest } from '../clients/client-rules.ts';
import { isReserved } from '../clients/requestable-scopes.ts';
import type { AuthConfig } from '../config.ts';
import { apiScopes, personScopes } from '../scopes.ts';
import { ownMetadata, scopesOf } from './client-metadata.ts';
import { hostList, isListed } from './host-list.ts';

/** The settings of client ID metadata documents. */
export const clientDocumentSettings = {
  takesClientDocuments: {
    env: 'CLIENT_ID_METADATA_DOCUMENTS',
    schema: yesOrNo
      .default(true)
      .describe(
        'Whether a `client_id` may be the https URL of a document that describes the client, unknown to the server before',
      ),
  },
  clientDocumentAllowedHosts: {
    env: 'CLIENT_ID_METADATA_DOCUMENT_ALLOWED_HOSTS',
    schema: hostList.describe(
      'Hosts whose client documents are accepted, such as `app.example *.example.com`; default: every host',
    ),
  },
  clientDocumentDeniedHosts: {
    env: 'CLIENT_ID_METADATA_DOCUMENT_DENIED_HOSTS',
    schema: hostList.describe('Hosts whose client documents are refused, also where the other list has them'),
  },
} as const;

export type ClientDocumentConfig = Config<typeof clientDocumentSettings>;

export interface ClientDocumentsOptions extends ClientDocumentConfig {
  mode: AuthConfig['mode'];
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
const DOCUMENTS_A_MINUTE_OF_HOST = 120;
const MAX_KNOWN_DOCUMENTS = 10_000;
const CACHE_SECONDS = { min: 60, max: 3_600 };
/** Names of this machine (RFC 6761 §6.3); its addresses are refused as private ones. */
const loopbackHosts = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];
const grantTypes = ['authorization_code', 'refresh_token'];

/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). The library fetches them, by our own
 * `fetch` for strangers' addresses, 5 KB at most, and keeps them a while; here they come under the rules that every
 * client of a developer's is under that nobody vouches for.
 */
export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const isFetchedFrom = createHostRule(options);
  const limiterOf = (name: string, points: number) =>
    createRateLimiter({
      redis: options.redis,
      keyPrefix: `auth:client-document:${name}`,
      points,
      durationSeconds: 60,
    });
  const perCaller = limiterOf('address', DOCUMENTS_A_MINUTE);
  const perHost = limiterOf('host', DOCUMENTS_A_MINUTE_OF_HOST);
  /** Ids of clients that were accepted: a flood of invented ids at their host does not keep them out. */
  const known = new Set<string>();
  return {
    feature: {
      enabled: options.takesClientDocuments,
      // Accepts the draft as it is in the version that package.json pins.
      ack: 'draft-02',
      cacheDuration: CACHE_SECONDS,
      // Bounds how often callers, one or many, make the server call a host. Own pages come after a counted request.
      async allowFetch(ctx: { ip: string } | undefined, clientId) {
        const { hostname } = new URL(clientId);
        if (!isFetchedFrom(hostname)) throw new errors.InvalidClient(`no client of ${hostname} is accepted`);
        if (ctx === undefined) return true;
        const caller = await perCaller.consume(networkOf(ctx.ip));
        return caller.isAllowed && (known.has(clientId) || (await perHost.consume(hostname)).isAllowed);
      },
      allowClient(_ctx, client) {
        requireRules(client);
        if (known.size >= MAX_KNOWN_DOCUMENTS) known.clear();
        known.add(client.clientId);
        return true;
      },
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

/** Whether documents of a host are fetched. In production none is this machine, whatever addresses may be called. */
function createHostRule(options: ClientDocumentsOptions): (hostname: string) => boolean {
  const { mode, clientDocumentAllowedHosts: allowed, clientDocumentDeniedHosts: denied } = options;
  const refused = [...denied, ...(mode === 'production' ? loopbackHosts : [])];
  return (hostname) => !isListed(hostname, refused) && (allowed.length === 0 || isListed(hostname, allowed));
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
  [ownMetadata.logoDigest]: () => null,
  [ownMetadata.scopes](metadata) {
    const { scope } = metadata;
    // The library would take it for a list of the scopes about people alone.
    delete metadata.scope;
    if (scope === undefined) return unreservedScopes;
    const named = String(scope).split(' ');
    return unreservedScopes.filter((known) => named.includes(known));
  },
};
const unreservedScopes = [...personScopes, ...apiScopes].filter((scope) => !isReserved(scope));

function setOwnMember(metadata: ClientMetadata, key: string): void {
  metadata[key] = ownMembers[key]?.(metadata);
  // The host of this URL is the only proved fact about the client.
  metadata.client_uri = metadata.client_id;
  if (isNative(metadata)) metadata.application_type = 'native';
  // A document is written for every server: what this one does not offer such clients is left out.
  if (Array.isArray(metadata.grant_types))
    metadata.grant_types = metadata.grant_types.filter((grant) => grantTypes.includes(grant));
}

/** Whether a public client runs on the device of its user (RFC 8252 §7), which many documents leave out. */
function isNative({ token_endpoint_auth_method: method, redirect_uris: uris }: ClientMetadata): boolean {
  return method === 'none' && Array.isArray(uris) && uris.some((uri) => !/^https:/i.test(String(uri)));
}

/** @throws {errors.InvalidClientMetadata} naming every rule that a client by a document breaks */
function requireRules(client: Client): void {
  const faults = findFaults(toRequest(client), false)
    // The library fetches keys, and checks them, when they are needed.
    .filter(({ field }) => !(client.jwksUri && field.startsWith('jwks')))
    .map(({ field, message }) => `${field} ${message}`);
  if (faults.length > 0) throw new errors.InvalidClientMetadata(faults.join('; '));
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
    initiateLoginUri: client.initiateLoginUri,
  };
}

function typeOf({ applicationType, clientAuthMethod }: Client): ApplicationType {
  if (applicationType === 'native') return 'native';
  return clientAuthMethod === 'none' ? 'spa' : 'web';
}
