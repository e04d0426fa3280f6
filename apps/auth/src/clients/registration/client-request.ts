import { AppError } from '@keydesk/server';
import { z } from 'zod';
import { openIdScopes } from '../../values/scopes.ts';
import { type ApplicationType, idTokenAlgorithms } from '../client.ts';
import type { ClientRequest } from '../client-rules.ts';
import { toAuthMethod, typeRules } from '../client-types.ts';
import { isHomePage } from '../home-page.ts';
import { RegistrationError } from './registration-error.ts';

const uris = z.array(z.string());
const page = z.string().refine(isHomePage, 'must be an absolute https URL');
/** Metadata that is rejected instead of ignored, because a client that sends it depends on it. */
const unsupported = (instead = '') => z.never(`is not supported${instead}`).optional();

/** Client metadata (RFC 7591 §2). Unknown members are ignored, as §2 requires; `null` counts as omitted. */
const metadataSchema = z.object({
  client_name: z.string().optional(),
  client_uri: page.optional(),
  policy_uri: page.optional(),
  tos_uri: page.optional(),
  redirect_uris: uris.optional(),
  post_logout_redirect_uris: uris.optional(),
  backchannel_logout_uri: z.string().optional(),
  initiate_login_uri: z.string().optional(),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'])
    .optional(),
  application_type: z.enum(['web', 'native']).default('web'),
  grant_types: z.array(z.string()).default(['authorization_code']),
  response_types: z.array(z.literal('code', 'must be code')).max(1).optional(),
  scope: z.string().optional(),
  jwks: z.unknown().optional(),
  subject_type: z.literal('public', 'must be public').optional(),
  id_token_signed_response_alg: z
    .enum(idTokenAlgorithms, `must be ${idTokenAlgorithms.join(', ')}`)
    .default(idTokenAlgorithms[0]),
  authorization_signed_response_alg: z
    .enum(idTokenAlgorithms, `must be ${idTokenAlgorithms.join(', ')}`)
    .default(idTokenAlgorithms[0]),
  dpop_bound_access_tokens: z.boolean().optional(),
  require_pushed_authorization_requests: z.boolean().optional(),
  require_signed_request_object: z.boolean().optional(),
  // Neither shown nor stored, but validated, because no URL of a registration may be harmful.
  logo_uri: page.optional(),
  jwks_uri: unsupported('; send the keys as jwks'),
  sector_identifier_uri: unsupported(),
  userinfo_signed_response_alg: unsupported(),
  userinfo_encrypted_response_alg: unsupported(),
  id_token_encrypted_response_alg: unsupported(),
  authorization_encrypted_response_alg: unsupported(),
  request_object_encryption_alg: unsupported(),
});

type ClientMetadata = z.output<typeof metadataSchema>;

/**
 * Converts client metadata to a request of the clients domain, whose rules are checked afterwards.
 *
 * @param allowedGrantTypes of registered clients, by setting
 * @throws {RegistrationError} `invalid_client_metadata`
 */
export function toClientRequest(
  body: Readonly<Record<string, unknown>>,
  allowedGrantTypes: readonly string[],
): Omit<ClientRequest, 'role'> {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const parsed = metadataSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) throw invalidMetadata(parsed.error.issues.map(toSentence));
  const metadata = parsed.data;
  const type = toType(metadata);
  requireGrants(metadata, type, allowedGrantTypes);
  const authMethod = metadata.token_endpoint_auth_method;
  return {
    type,
    name: metadata.client_name ?? toHost(metadata.redirect_uris?.[0]),
    homePage: metadata.client_uri,
    policyUri: metadata.policy_uri,
    tosUri: metadata.tos_uri,
    scopes: toScopes(metadata, type),
    authMethod: toAuthMethod({ type, authMethod, jwks: metadata.jwks }),
    // Some clients send keys that their authentication method does not use.
    ...(authMethod === 'private_key_jwt' && { jwks: metadata.jwks }),
    redirectUris: metadata.redirect_uris,
    postLogoutRedirectUris: metadata.post_logout_redirect_uris,
    backchannelLogoutUri: metadata.backchannel_logout_uri,
    initiateLoginUri: metadata.initiate_login_uri,
    security: {
      dpopBoundAccessTokens: metadata.dpop_bound_access_tokens ?? false,
      requirePushedAuthorizationRequests: metadata.require_pushed_authorization_requests ?? false,
      requireSignedRequestObject: metadata.require_signed_request_object ?? false,
      idTokenAlgorithm: metadata.id_token_signed_response_alg,
      authorizationResponseAlgorithm: metadata.authorization_signed_response_alg,
    },
  };
}

const metadataNames: Readonly<Record<string, string>> = {
  name: 'client_name',
  home_page: 'client_uri',
  auth_method: 'token_endpoint_auth_method',
  redirect_uri: 'redirect_uris',
  post_logout_redirect_uri: 'post_logout_redirect_uris',
};
const redirectFields = ['redirect_uri', 'post_logout_redirect_uri'];

/** Converts validation errors of the clients domain to errors of RFC 7591 §3.2.2; returns other errors unchanged. */
export function toRegistrationError(err: unknown): unknown {
  if (!(err instanceof AppError)) return err;
  const { code, errors, message } = err;
  if (code === 'conflict') return new RegistrationError('access_denied', message, { cause: err });
  if (code !== 'validation_failed') return err;
  const isRedirect = errors.some(({ field }) => redirectFields.includes(field));
  const sentences = errors.map(({ field, message }) => `${metadataNames[field] ?? field} ${message}`);
  const error = isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  return new RegistrationError(error, sentences.join('; '), { cause: err });
}

/** Derives the client type from the metadata. */
function toType({
  grant_types,
  application_type,
  token_endpoint_auth_method,
}: ClientMetadata): ApplicationType {
  if (!grant_types.includes('authorization_code')) return 'machine';
  if (application_type === 'native') return 'native';
  return token_endpoint_auth_method === 'none' ? 'spa' : 'web';
}

/** Checks that grant types are allowed and match the response types (RFC 7591 §2.1). */
function requireGrants(
  { grant_types, response_types }: ClientMetadata,
  type: ApplicationType,
  allowed: readonly string[],
): void {
  const possible = typeRules[type].grantTypes.filter((grant) => allowed.includes(grant));
  const rejected = grant_types.filter((grant) => !possible.includes(grant));
  if (rejected.length > 0 || grant_types.length === 0)
    throw invalidMetadata([
      `grant_types is empty or contains a grant type that this client may not use; allowed: ${allowed.join(', ')}`,
    ]);
  if (type === 'machine' && response_types !== undefined && response_types.length > 0)
    throw invalidMetadata(['response_types requires the grant type authorization_code']);
}

/** Lists the requested scopes; default: the OpenID scopes, without access to the API. */
function toScopes({ scope }: ClientMetadata, type: ApplicationType): readonly string[] {
  if (scope !== undefined) return scope.split(' ').filter(Boolean);
  return type === 'machine' ? [] : openIdScopes;
}

/** Returns the default name of a client: the host of its redirect URI. */
function toHost(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return '';
  const { host, protocol } = new URL(redirectUri);
  return host || protocol.slice(0, -1);
}

function toSentence({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.')}: ${message}`;
}

function invalidMetadata(reasons: readonly string[]): RegistrationError {
  return new RegistrationError('invalid_client_metadata', reasons.join('; '));
}
