import { AppError } from '@keydesk/server';
import type { Client, ClientAuthMethod, ClientSecurity, ClientType } from './client.ts';
import { type ClientFault, findFaults } from './client-faults.ts';
import { readJwks } from './client-keys.ts';
import { defaultSecurity } from './client-security.ts';
import { toAuthMethod, typeRules } from './client-types.ts';

/** A request to register a client. */
export interface ClientRequest {
  type: ClientType;
  name: string;
  scopes: readonly string[];
  /** Page with information for users. */
  homePage?: string | null | undefined;
  policyUri?: string | null | undefined;
  tosUri?: string | null | undefined;
  authMethod?: ClientAuthMethod | undefined;
  /** A JSON Web Key Set of public keys, not yet validated. */
  jwks?: unknown;
  role?: Client['role'] | undefined;
  /** Redirect URIs; required for clients that users sign in to in a browser, not allowed for others. */
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | undefined;
  backchannelLogoutUri?: string | null | undefined;
  initiateLoginUri?: string | null | undefined;
  /** Security requirements; omitted members have the values of `defaultSecurity`. */
  security?: Partial<ClientSecurity> | undefined;
}

/** Members that the developer of a client may change: all except its type and authentication method. */
export type ClientEdit = Pick<
  ClientRequest,
  | 'name'
  | 'scopes'
  | 'homePage'
  | 'policyUri'
  | 'tosUri'
  | 'jwks'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'initiateLoginUri'
  | 'security'
>;

export type ClientSettings = Pick<
  Client,
  | 'type'
  | 'name'
  | 'homePage'
  | 'policyUri'
  | 'tosUri'
  | 'scopes'
  | 'grantTypes'
  | 'authMethod'
  | 'jwks'
  | 'role'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'initiateLoginUri'
  | 'security'
>;

/**
 * Validates a request and completes it with the safe defaults of its type.
 *
 * @param isTrusted whether an operator registers or has verified the client, so that it may have every scope
 * @throws {AppError} `validation_failed` naming every fault
 */
export function toClientSettings(request: ClientRequest, isTrusted: boolean): ClientSettings {
  rejectFaults(findFaults(request, isTrusted));
  const authMethod = toAuthMethod(request);
  return {
    type: request.type,
    name: request.name.trim(),
    homePage: request.homePage ?? null,
    policyUri: request.policyUri ?? null,
    tosUri: request.tosUri ?? null,
    scopes: [...new Set(request.scopes)],
    grantTypes: typeRules[request.type].grantTypes,
    redirectUris: [...new Set(request.redirectUris)],
    postLogoutRedirectUris: [...new Set(request.postLogoutRedirectUris)],
    backchannelLogoutUri: request.backchannelLogoutUri ?? null,
    initiateLoginUri: request.initiateLoginUri ?? null,
    authMethod,
    jwks: readJwks(request.jwks, authMethod).jwks,
    security: { ...defaultSecurity, ...request.security },
    role: request.role ?? null,
  };
}

/** Converts a client back to the request that would register it. */
export function toRequest({ jwks, ...client }: Client): ClientRequest {
  return { ...client, ...(jwks && { jwks }) };
}

/** Members by which users recognize an application, and the redirect URIs. */
export type ClientIdentity = Pick<Client, 'name' | 'homePage' | 'redirectUris' | 'logoDigest'>;

/** Whether an edit changes the identity of a client. Removing the logo or a redirect URI does not. */
export function changesIdentity(
  client: ClientIdentity,
  { name, homePage, redirectUris, logoDigest }: ClientIdentity,
): boolean {
  return (
    name !== client.name ||
    homePage !== client.homePage ||
    (logoDigest !== null && logoDigest !== client.logoDigest) ||
    redirectUris.some((uri) => !client.redirectUris.includes(uri))
  );
}

function rejectFaults(faults: readonly ClientFault[]): void {
  if (faults.length === 0) return;
  const message = faults.map(({ field, message }) => `${field} ${message}`).join('; ');
  const errors = faults.map(({ field, code, message }) => ({ field, code, message }));
  throw new AppError('validation_failed', `Invalid client: ${message}.`, { errors });
}
