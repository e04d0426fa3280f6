import type { FieldError } from '@keydesk/server';
import type { ClientSecurity } from './client.ts';
import { fapiAlgorithms, readJwks } from './client-keys.ts';
import type { ClientRequest } from './client-rules.ts';
import { toAuthMethod } from './client-types.ts';

/** Default security requirements of a client. */
export const defaultSecurity: ClientSecurity = Object.freeze({
  profile: null,
  dpopBoundAccessTokens: false,
  requirePushedAuthorizationRequests: false,
  requireSignedRequestObject: false,
  idTokenAlgorithm: 'RS256',
  authorizationResponseAlgorithm: 'RS256',
  isPkceOptional: false,
});

export const pkceChoices = ['required', 'optional'] as const;

export function toPkceChoice({ isPkceOptional }: ClientSecurity): (typeof pkceChoices)[number] {
  return isPkceOptional ? 'optional' : 'required';
}

/** Lists the security requirements that a client cannot comply with, as errors of the conflicting fields. */
export function findSecurityFaults(request: ClientRequest): FieldError[] {
  const { profile, requireSignedRequestObject, isPkceOptional } = { ...defaultSecurity, ...request.security };
  const hasKeys = toAuthMethod(request) === 'private_key_jwt';
  if (isPkceOptional && (request.type !== 'web' || profile === 'fapi2')) {
    const message = 'must be required, except for web clients without fapi2';
    return [{ field: 'pkce', code: 'unsuitable', message }];
  }
  if (requireSignedRequestObject && !hasKeys) {
    const message = 'is only for clients that authenticate with private_key_jwt';
    return [{ field: 'require_signed_request_object', code: 'unsuitable', message }];
  }
  return profile === 'fapi2' ? findFapiFaults(request) : [];
}

/** Lists violations of the FAPI 2.0 requirements on registrations (§5.3.2.1 no. 6, §5.3.2.2 no. 8, §5.4.1). */
function findFapiFaults(request: ClientRequest): FieldError[] {
  const authMethod = toAuthMethod(request);
  const { jwks } = readJwks(request.jwks, authMethod);
  const { redirectUris = [] } = request;
  const checks: [isWrong: boolean, field: string, message: string][] = [
    [authMethod !== 'private_key_jwt', 'auth_method', 'must be private_key_jwt under fapi2'],
    [
      jwks?.keys.every(isFapiKey) === false,
      'jwks',
      `must hold keys for ${fapiAlgorithms.join(', ')} under fapi2`,
    ],
    [
      redirectUris.some((uri) => !uri.startsWith('https:')),
      'redirect_uri',
      'must begin with https:// under fapi2',
    ],
  ];
  return checks
    .filter(([isWrong]) => isWrong)
    .map(([, field, message]) => ({ field, code: 'unsuitable', message }));
}

function isFapiKey({ alg, crv }: Readonly<Record<string, unknown>>): boolean {
  return crv !== 'P-384' && (alg === undefined || fapiAlgorithms.some((allowed) => allowed === alg));
}
