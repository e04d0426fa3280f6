import { apiScopes, openIdScopes } from '../values/scopes.ts';
import type { Client } from './client.ts';

/**
 * Scopes that only verified applications may request. A ticket is deleted for all users, so the consent of one user is
 * not enough.
 */
const reservedScopes: readonly string[] = ['tickets:delete'];

export function isReservedScope(scope: string): boolean {
  return reservedScopes.includes(scope);
}

/** Lists the scopes that a client may be registered for. Machine clients get no user claims, resource servers no tokens. */
export function listRegistrableScopes({ grantTypes }: Pick<Client, 'grantTypes'>): readonly string[] {
  if (grantTypes.length === 0) return [];
  return grantTypes.includes('refresh_token') ? [...openIdScopes, ...apiScopes] : apiScopes;
}

/**
 * Lists the scopes that a client may currently request: its registered scopes, without the reserved ones unless it is
 * verified. An operator's client that is registered for no OpenID scope may request all of them.
 */
export function listRequestableScopes(client: Client): readonly string[] {
  const { owner, scopes, isVerified } = client;
  const known = listRegistrableScopes(client);
  const presumed = owner === null && !scopes.some(isOpenIdScope) ? known.filter(isOpenIdScope) : [];
  return [...scopes.filter((scope) => isVerified || !isReservedScope(scope)), ...presumed];
}

function isOpenIdScope(scope: string): boolean {
  return openIdScopes.some((each) => each === scope);
}
