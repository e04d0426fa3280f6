import { AppError, type FieldError } from '@keydesk/http';
import { apiScopes } from '../scopes.ts';
import type { Client, ClientAuthMethod, ClientType } from './client.ts';
import { clientJwksSchema, toKeyErrors } from './client-keys.ts';
import { faultOfRedirectUri } from './redirect-uri.ts';

interface TypeRules {
  grantTypes: readonly string[];
  /** What it may authenticate by; the first is the default. */
  authMethods: readonly [ClientAuthMethod, ...ClientAuthMethod[]];
  /** Whether it acts for itself, in a role of its own. */
  hasRole: boolean;
}

const confidential = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** What is safe for each type of client (RFC 6749 §2.1, RFC 8252, RFC 9700 §2). */
export const typeRules: Record<ClientType, TypeRules> = {
  machine: { grantTypes: ['client_credentials'], authMethods: confidential, hasRole: true },
  web: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: confidential, hasRole: false },
  spa: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
  native: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
};

/** What somebody asks for who registers a client. */
export interface ClientRequest {
  type: ClientType;
  name: string;
  scopes: readonly string[];
  authMethod?: ClientAuthMethod | undefined;
  /** A JSON Web Key Set of public keys, not yet looked at. */
  jwks?: unknown;
  role?: Client['role'] | undefined;
  /** Where people come back to; machines have none, all others at least one. */
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | undefined;
}

export type ClientSettings = Pick<
  Client,
  | 'type'
  | 'name'
  | 'scopes'
  | 'grantTypes'
  | 'authMethod'
  | 'jwks'
  | 'role'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
>;

const MAX_NAME_LENGTH = 100;
const controlCharacters = /\p{Cc}/u;

/**
 * The settings of a new client, completed by what is safe for its type.
 *
 * @throws {AppError} `validation_failed` naming every fault
 */
export function toClientSettings(request: ClientRequest): ClientSettings {
  const rules = typeRules[request.type];
  const authMethod =
    request.authMethod ?? (request.jwks === undefined ? rules.authMethods[0] : 'private_key_jwt');
  const { jwks, errors: keyErrors } = readJwks(request.jwks, authMethod);
  const errors = [...faultsOf(request, authMethod), ...redirectFaultsOf(request), ...keyErrors];
  if (errors.length > 0) {
    const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
    throw new AppError('validation_failed', `The client cannot be registered: ${message}.`, { errors });
  }
  return {
    type: request.type,
    name: request.name.trim(),
    scopes: [...new Set(request.scopes)],
    grantTypes: rules.grantTypes,
    redirectUris: [...new Set(request.redirectUris)],
    postLogoutRedirectUris: [...new Set(request.postLogoutRedirectUris)],
    authMethod,
    jwks,
    role: request.role ?? null,
  };
}

function faultsOf({ type, name, scopes, role }: ClientRequest, authMethod: ClientAuthMethod): FieldError[] {
  const rules = typeRules[type];
  const unknown = scopes.filter((scope) => !apiScopes.some((known) => known === scope));
  const length = name.trim().length;
  const checks: [isWrong: boolean, error: FieldError][] = [
    [
      length === 0 || length > MAX_NAME_LENGTH || controlCharacters.test(name),
      { field: 'name', code: 'invalid', message: `needs 1 to ${MAX_NAME_LENGTH} printable characters` },
    ],
    [
      unknown.length > 0,
      {
        field: 'scope',
        code: 'unknown',
        message: `has ${unknown.join(', ')}, but may have ${apiScopes.join(', ')}`,
      },
    ],
    [
      !rules.authMethods.includes(authMethod),
      {
        field: 'auth_method',
        code: 'unsuitable',
        message: `must be ${rules.authMethods.join(' or ')} for this type`,
      },
    ],
    [
      role != null && !rules.hasRole,
      {
        field: 'role',
        code: 'unsuitable',
        message: 'is for machine clients; others act in the role of their user',
      },
    ],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, error]) => error);
}

const MAX_REDIRECT_URIS = 20;

function redirectFaultsOf({
  type,
  redirectUris = [],
  postLogoutRedirectUris = [],
}: ClientRequest): FieldError[] {
  const takesUris = typeRules[type].grantTypes.includes('authorization_code');
  const lists = { redirect_uri: redirectUris, post_logout_redirect_uri: postLogoutRedirectUris };
  return Object.entries(lists).flatMap(([field, uris]) => {
    if (!takesUris && uris.length > 0)
      return [{ field, code: 'unsuitable', message: 'is for clients that people sign in to' }];
    if (uris.length > MAX_REDIRECT_URIS)
      return [{ field, code: 'invalid', message: `is given more than ${MAX_REDIRECT_URIS} times` }];
    if (takesUris && field === 'redirect_uri' && uris.length === 0)
      return [{ field, code: 'required', message: 'is missing: people come back to it' }];
    const faults = uris.map((uri) => faultOfRedirectUri(uri, type));
    return faults
      .filter((fault) => fault !== undefined)
      .map((message) => ({ field, code: 'invalid', message }));
  });
}

function readJwks(
  input: unknown,
  authMethod: ClientAuthMethod,
): { jwks: Client['jwks']; errors: readonly FieldError[] } {
  const isNeeded = authMethod === 'private_key_jwt';
  if (input === undefined && !isNeeded) return { jwks: null, errors: [] };
  if (!isNeeded) {
    const message = 'is for clients that authenticate by private_key_jwt';
    return { jwks: null, errors: [{ field: 'jwks', code: 'unsuitable', message }] };
  }
  const parsed = clientJwksSchema.safeParse(input);
  return parsed.success
    ? { jwks: parsed.data, errors: [] }
    : { jwks: null, errors: toKeyErrors(parsed.error) };
}
