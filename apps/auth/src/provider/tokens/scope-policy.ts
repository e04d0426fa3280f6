import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { apiScopes, isApiScope, openIdScopes } from '../../values/scopes.ts';
import { scopesOf } from '../clients/client-metadata.ts';

const MAX_SCOPE_LENGTH = 100;

/**
 * Returns the API scopes that the client is registered for. Without a `scope` parameter a machine gets all of them (RFC
 * 6749 §3.3). oidc-provider itself would ignore unknown scopes.
 *
 * @throws {errors.InvalidScope} when a requested scope is unknown or not allowed for the client
 */
export function grantApiScopes({ oidc }: KoaContextWithOIDC): readonly string[] {
  const client = oidc.client;
  if (!client) return [];
  const allowed = scopesOf(client);
  const registered = allowed.filter(isApiScope);
  if (oidc.params && isMachineGrant(oidc.params.grant_type))
    oidc.params.scope ??= registered.join(' ') || undefined;
  const rejected = [...oidc.requestParamScopes].find((scope) => !allowed.includes(scope));
  if (rejected) throw new errors.InvalidScope(describeRejection(rejected), rejected);
  return registered;
}

/** Describes a rejected scope, whose characters are all allowed in a description (RFC 6749 §3.3, §5.2). */
function describeRejection(scope: string): string {
  const name = scope.slice(0, MAX_SCOPE_LENGTH);
  return [...openIdScopes, ...apiScopes].some((known) => known === scope)
    ? `The scope ${name} is not allowed for this client; request scopes that it is registered for.`
    : `The scope ${name} is unknown; request scopes listed in scopes_supported.`;
}

/** Whether a request needs a token for the API. One that only requests the user's identity does not. */
export function requestsApi({ oidc }: KoaContextWithOIDC): boolean {
  const scopes = [...oidc.requestParamScopes];
  return !scopes.includes('openid') || scopes.some(isApiScope);
}

function isMachineGrant(grantType: unknown): boolean {
  return grantType === 'client_credentials';
}
