/** What a client may ask to do in the API. */
export const apiScopes = ['tickets:read', 'tickets:write', 'tickets:delete'] as const;

/** What a client may ask to know about a person (OpenID Connect Core §5.4), and to go on without them (§11). */
export const personScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

export function isApiScope(scope: string): boolean {
  return apiScopes.some((known) => known === scope);
}
