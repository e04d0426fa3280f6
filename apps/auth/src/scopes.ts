/** What a client may ask to do in the API. */
export const apiScopes = ['tickets:read', 'tickets:write', 'tickets:delete', 'webhooks:manage'] as const;
