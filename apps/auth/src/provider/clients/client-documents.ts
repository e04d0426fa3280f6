import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import { type Client, type ClientMetadata, type Configuration, errors } from 'oidc-provider';
import { toNetwork } from '../../accounts/limits/network.ts';
import type { ApplicationType } from '../../clients/client.ts';
import { findFaults } from '../../clients/client-faults.ts';
import type { ClientRequest } from '../../clients/client-rules.ts';
import { isReservedScope } from '../../clients/requestable-scopes.ts';
import type { AuthConfig } from '../../config.ts';
import { apiScopes, openIdScopes } from '../../values/scopes.ts';
import type { ClientDocumentConfig } from './client-document-settings.ts';
import { ownMetadata, scopesOf } from './client-metadata.ts';
import { isHostListed } from './host-list.ts';

export interface ClientDocumentsOptions extends ClientDocumentConfig {
  mode: AuthConfig['mode'];
  redis?: RedisConnection | undefined;
}

type Features = NonNullable<Configuration['features']>;

/** Policy for clients that describe themselves by a document. */
export interface ClientDocuments {
  feature: NonNullable<Features['clientIdMetadataDocument']>;
  /** Sets our own metadata members instead of reading them from a document (`extraClientMetadata.validator`). */
  validator(ctx: unknown, key: string, value: unknown, metadata: ClientMetadata): void;
}

const DOCUMENTS_A_MINUTE = 20;
const DOCUMENTS_A_MINUTE_OF_HOST = 120;
const MAX_ACCEPTED_IDS = 10_000;
const CACHE_SECONDS = { min: 60, max: 3_600 };
/** Host names of this machine (RFC 6761 §6.3); its addresses are rejected as private ones. */
const loopbackHosts = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];
const grantTypes = ['authorization_code', 'refresh_token'];

/**
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). oidc-provider fetches them with our
 * outbound `fetch`, 5 KB at most, and caches them. Such a client follows the rules for an unverified client of a
 * developer.
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
  /** Ids of accepted clients. A flood of invented ids at their host does not lock them out. */
  const acceptedIds = new Set<string>();
  return {
    feature: {
      enabled: options.acceptsClientDocuments,
      // Accepts the draft as implemented by the version that package.json pins.
      ack: 'draft-02',
      cacheDuration: CACHE_SECONDS,
      // Limits how often callers make the server fetch from a host. Own pages come after a counted request.
      async allowFetch(ctx: { ip: string } | undefined, clientId) {
        const { hostname } = new URL(clientId);
        if (!isFetchedFrom(hostname))
          throw new errors.InvalidClient(`client documents of ${hostname} are not accepted`);
        if (ctx === undefined) return true;
        const caller = await perCaller.consume(toNetwork(ctx.ip));
        return caller.isAllowed && (acceptedIds.has(clientId) || (await perHost.consume(hostname)).isAllowed);
      },
      allowClient(_ctx, client) {
        assertClientRules(client);
        if (acceptedIds.size >= MAX_ACCEPTED_IDS) acceptedIds.clear();
        acceptedIds.add(client.clientId);
        return true;
      },
    },
    validator(_ctx, key, _value, metadata) {
      if (isDocumentId(metadata.client_id)) setOwnMember(metadata, key);
    },
  };
}

/** Whether a `client_id` is the URL of a document; stored clients never have such an id. */
export function isDocumentId(clientId: string): boolean {
  return /^https:/i.test(clientId) && URL.canParse(clientId);
}

/**
 * Creates the predicate for hosts whose documents are fetched. Production excludes this machine, whatever private
 * addresses may be called.
 */
function createHostRule(options: ClientDocumentsOptions): (hostname: string) => boolean {
  const { mode, clientDocumentAllowedHosts: allowed, clientDocumentDeniedHosts: denied } = options;
  const blocked = [...denied, ...(mode === 'production' ? loopbackHosts : [])];
  return (hostname) =>
    !isHostListed(hostname, blocked) && (allowed.length === 0 || isHostListed(hostname, allowed));
}

/** Values of our own members, which override whatever a document contains. */
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
    // oidc-provider would read it only as a list of user scopes.
    delete metadata.scope;
    if (scope === undefined) return unreservedScopes;
    const named = String(scope).split(' ');
    return unreservedScopes.filter((known) => named.includes(known));
  },
};
const unreservedScopes = [...openIdScopes, ...apiScopes].filter((scope) => !isReservedScope(scope));

function setOwnMember(metadata: ClientMetadata, key: string): void {
  metadata[key] = ownMembers[key]?.(metadata);
  // The host of this URL is the only proved fact about the client.
  metadata.client_uri = metadata.client_id;
  if (isNative(metadata)) metadata.application_type = 'native';
  // A document is written for every server; grant types that this server does not offer to such clients are dropped.
  if (Array.isArray(metadata.grant_types))
    metadata.grant_types = metadata.grant_types.filter((grant) => grantTypes.includes(grant));
}

/** Whether a public client runs on its user's device (RFC 8252 §7), which many documents omit. */
function isNative({ token_endpoint_auth_method: method, redirect_uris: uris }: ClientMetadata): boolean {
  return method === 'none' && Array.isArray(uris) && uris.some((uri) => !/^https:/i.test(String(uri)));
}

/**
 * Asserts the client rules for a client by a document.
 *
 * @throws {errors.InvalidClientMetadata} naming every broken rule
 */
function assertClientRules(client: Client): void {
  const faults = findFaults(toRequest(client), false)
    // oidc-provider fetches and checks remote keys when it needs them.
    .filter(({ field }) => !(client.jwksUri && field.startsWith('jwks')))
    .map(({ field, message }) => `${field} ${message}`);
  if (faults.length > 0) throw new errors.InvalidClientMetadata(faults.join('; '));
}

function toRequest(client: Client): ClientRequest {
  const { clientId, clientName, clientAuthMethod, redirectUris, postLogoutRedirectUris, jwks } = client;
  return {
    type: toApplicationType(client),
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

function toApplicationType({ applicationType, clientAuthMethod }: Client): ApplicationType {
  if (applicationType === 'native') return 'native';
  return clientAuthMethod === 'none' ? 'spa' : 'web';
}
