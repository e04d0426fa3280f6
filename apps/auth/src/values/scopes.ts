/** Scopes of the API. */
export const apiScopes = ['tickets:read', 'tickets:write', 'tickets:delete'] as const;

/** Scopes of claims about the user (OpenID Connect Core §5.4) and of offline access (§11). */
export const openIdScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

export function isApiScope(scope: string): boolean {
  return apiScopes.some((known) => known === scope);
}

/** Roles in the API, of users and of machine clients. */
export const roles = ['customer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];
