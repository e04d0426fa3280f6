import type { FieldError } from '@keydesk/server';
import { isLineOfText } from '../values/line-of-text.ts';
import { readJwks } from './client-keys.ts';
import type { ClientRequest } from './client-rules.ts';
import { findSecurityFaults } from './client-security.ts';
import { toAuthMethod, typeRules } from './client-types.ts';
import { isHomePage } from './home-page.ts';
import { describeRedirectUriFault, findRedirectUriFault } from './redirect-uri.ts';
import { isReservedScope, listRegistrableScopes } from './requestable-scopes.ts';

/** A fault of a client request, with the invalid value if it is one of several. */
export interface ClientFault extends FieldError {
  value?: string | undefined;
}

export const MAX_NAME_LENGTH = 100;
export const MAX_REDIRECT_URIS = 20;

/** Lists all faults of a client request. @param isTrusted whether an operator registers or has verified the client */
export function findFaults(request: ClientRequest, isTrusted: boolean): readonly ClientFault[] {
  const { errors: keyErrors } = readJwks(request.jwks, toAuthMethod(request));
  return [
    ...findNameFaults(request),
    ...findPageFaults(request),
    ...findScopeFaults(request, isTrusted),
    ...findSuitabilityFaults(request),
    ...findRedirectFaults(request),
    ...findEndpointFaults(request),
    ...keyErrors,
    ...findSecurityFaults(request),
  ];
}

function findNameFaults({ name }: ClientRequest): ClientFault[] {
  const { length } = name.trim();
  const isUnreadable = length > 0 && !isLineOfText(name);
  const message = `needs 1 to ${MAX_NAME_LENGTH} printable characters`;
  return faultsIn([
    [length === 0, { field: 'name', code: 'name_missing', message }],
    [isUnreadable, { field: 'name', code: 'name_invalid', message }],
    [length > MAX_NAME_LENGTH, { field: 'name', code: 'name_too_long', message }],
  ]);
}

function findPageFaults({ homePage, policyUri, tosUri }: ClientRequest): ClientFault[] {
  const pages = { home_page: homePage, policy_uri: policyUri, tos_uri: tosUri };
  const message = 'must be an absolute https URL';
  return Object.entries(pages)
    .filter(([, url]) => url != null && !isHomePage(url))
    .map(([field]) => ({ field, code: `${field}_invalid`, message }));
}

function findScopeFaults({ type, scopes }: ClientRequest, isTrusted: boolean): ClientFault[] {
  const known = listRegistrableScopes(typeRules[type]);
  const unknown = scopes.filter((scope) => !known.includes(scope));
  const reserved = isTrusted ? [] : scopes.filter(isReservedScope);
  const toFault = (value: string, message: string) => ({
    field: 'scope',
    code: 'scope_not_allowed',
    message,
    value,
  });
  return [
    ...unknown.map((scope) =>
      toFault(scope, `must not include ${scope} (allowed: ${known.join(', ') || 'none'})`),
    ),
    ...reserved.map((scope) =>
      toFault(scope, `must not include ${scope}, which only verified applications may have`),
    ),
  ];
}

function findSuitabilityFaults(request: ClientRequest): ClientFault[] {
  const { authMethods, hasRole } = typeRules[request.type];
  return faultsIn([
    [
      !authMethods.includes(toAuthMethod(request)),
      {
        field: 'auth_method',
        code: 'unsuitable',
        message: `must be ${authMethods.join(' or ')} for this type`,
      },
    ],
    [
      request.role != null && !hasRole,
      {
        field: 'role',
        code: 'unsuitable',
        message: 'is only for machine clients; other clients act in the role of their user',
      },
    ],
  ]);
}

function findRedirectFaults({
  type,
  redirectUris = [],
  postLogoutRedirectUris = [],
}: ClientRequest): ClientFault[] {
  const takesUris = typeRules[type].grantTypes.includes('authorization_code');
  const lists = { redirect_uri: redirectUris, post_logout_redirect_uri: postLogoutRedirectUris };
  return Object.entries(lists).flatMap(([field, uris]): ClientFault[] => {
    if (!takesUris && uris.length > 0)
      return [{ field, code: 'unsuitable', message: 'is only for clients that users sign in to' }];
    if (uris.length > MAX_REDIRECT_URIS)
      return [
        {
          field,
          code: 'redirect_uris_too_many',
          message: `must have at most ${MAX_REDIRECT_URIS} values`,
        },
      ];
    if (takesUris && field === 'redirect_uri' && uris.length === 0)
      return [
        { field, code: 'redirect_uri_missing', message: 'is required, because users are sent back to it' },
      ];
    return uris.flatMap((value) => {
      const code = findRedirectUriFault(value, type);
      return code === undefined ? [] : [{ field, code, message: describeRedirectUriFault(code), value }];
    });
  });
}

/**
 * Checks that URIs use https, or http on a loopback host (OpenID Connect Back-Channel Logout §2.2, Registration §2).
 * The server checks the address of a URI again before each request to it.
 */
function findEndpointFaults({ type, backchannelLogoutUri, initiateLoginUri }: ClientRequest): ClientFault[] {
  const uris = { backchannel_logout_uri: backchannelLogoutUri, initiate_login_uri: initiateLoginUri };
  const isForUsers = typeRules[type].grantTypes.includes('authorization_code');
  return Object.entries(uris).flatMap(([field, uri]): ClientFault[] => {
    if (uri == null) return [];
    if (!isForUsers)
      return [{ field, code: 'unsuitable', message: 'is only for clients that users sign in to' }];
    const code = findRedirectUriFault(uri, 'web');
    return code === undefined ? [] : [{ field, code, message: describeRedirectUriFault(code), value: uri }];
  });
}

function faultsIn(checks: readonly (readonly [isWrong: boolean, fault: ClientFault])[]): ClientFault[] {
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
}
