import { AppError } from '@keydesk/http';
import type { Client, ClientAuthMethod, ClientSecurity, ClientType } from './client.ts';
import { type ClientFault, findFaults } from './client-faults.ts';
import { readJwks } from './client-keys.ts';
import { usualSecurity } from './client-security.ts';
import { authMethodOf, typeRules } from './client-types.ts';

/** What somebody asks for who registers a client. */
export interface ClientRequest {
  type: ClientType;
  name: string;
  scopes: readonly string[];
  /** Where people can read about it. */
  homePage?: string | null | undefined;
  policyUri?: string | null | undefined;
  tosUri?: string | null | undefined;
  authMethod?: ClientAuthMethod | undefined;
  /** A JSON Web Key Set of public keys, not yet looked at. */
  jwks?: unknown;
  role?: Client['role'] | undefined;
  /** Where people come back to; machines have none, all others at least one. */
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | undefined;
  backchannelLogoutUri?: string | null | undefined;
  initiateLoginUri?: string | null | undefined;
  /** What it shall be held to; whatever is left out is as usual. */
  security?: Partial<ClientSecurity> | undefined;
}

/** What the developer of a client may change later: all but its type and how it authenticates. */
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
 * The settings of a client, completed by what is safe for its type.
 *
 * @param isTrusted whether somebody vouches for it, so that it may have every scope
 * @throws {AppError} `validation_failed` naming every fault
 */
export function toClientSettings(request: ClientRequest, isTrusted: boolean): ClientSettings {
  requireNone(findFaults(request, isTrusted));
  const authMethod = authMethodOf(request);
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
    security: { ...usualSecurity, ...request.security },
    role: request.role ?? null,
  };
}

/** The request that the client as it is would be registered by. */
export function toRequest({ jwks, ...client }: Client): ClientRequest {
  return { ...client, ...(jwks && { jwks }) };
}

/** What people recognise an application by, and where they are sent. */
export type ClientIdentity = Pick<Client, 'name' | 'homePage' | 'redirectUris' | 'logoDigest'>;

/** Whether an edit changes it; to be sent to fewer places is no change, nor is to lose the logo. */
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

function requireNone(faults: readonly ClientFault[]): void {
  if (faults.length === 0) return;
  const message = faults.map(({ field, message }) => `${field} ${message}`).join('; ');
  const errors = faults.map(({ field, code, message }) => ({ field, code, message }));
  throw new AppError('validation_failed', `The client cannot be accepted: ${message}.`, { errors });
}
