import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { apiScopes, isApiScope, personScopes } from '../scopes.ts';
import { scopesOf } from './client-metadata.ts';

const MAX_SCOPE_LENGTH = 100;

/**
 * The scopes of the API that the client is registered for. Without a `scope` parameter a machine gets them all
 * (RFC 6749 §3.3); the library itself would ignore scopes that it does not know.
 *
 * @throws {errors.InvalidScope} when the request asks for a scope that the client may not have, or that there is not
 */
export function grantApiScopes({ oidc }: KoaContextWithOIDC): readonly string[] {
  const client = oidc.client;
  if (!client) return [];
  const allowed = scopesOf(client);
  const ofApi = allowed.filter(isApiScope);
  if (oidc.params && actsForItself(oidc.params.grant_type))
    oidc.params.scope ??= ofApi.join(' ') || undefined;
  const refused = [...oidc.requestParamScopes].find((scope) => !allowed.includes(scope));
  if (refused) throw new errors.InvalidScope(describeRefusal(refused), refused);
  return ofApi;
}

/** Names the scope, whose characters all fit (RFC 6749 §3.3, §5.2). */
function describeRefusal(scope: string): string {
  const name = scope.slice(0, MAX_SCOPE_LENGTH);
  return [...personScopes, ...apiScopes].some((known) => known === scope)
    ? `The scope ${name} is not allowed for this client; request scopes that it is registered for.`
    : `The scope ${name} is unknown; request scopes of scopes_supported.`;
}

/** Whether a request asks for anything in the API; one that only asks who somebody is gets no token for the API. */
export function asksForApi({ oidc }: KoaContextWithOIDC): boolean {
  const scopes = [...oidc.requestParamScopes];
  return !scopes.includes('openid') || scopes.some(isApiScope);
}

function actsForItself(grantType: unknown): boolean {
  return grantType === 'client_credentials';
}
