/** Paths of the endpoints that Keydesk offers; `endpoints.ts` lists their methods and the steps before them. */
export const routes = {
  authorization: '/auth',
  /** Paths where an authorization request resumes after an interaction. */
  resumption: /^\/auth\/[\w-]+$/,
  pushedAuthorization: '/request',
  token: '/token',
  userinfo: '/me',
  revocation: '/token/revocation',
  introspection: '/token/introspection',
  endSession: '/session/end',
  endSessionConfirmation: '/session/end/confirm',
  endSessionSuccess: '/session/end/success',
  deviceAuthorization: '/device/auth',
  device: '/device',
  /** Paths where a device request resumes after an interaction. */
  deviceResumption: /^\/device\/[\w-]+$/,
  /** Polls for security events (RFC 8936). */
  securityEvents: '/security-events',
  /** Revoked access tokens (Token Status List §8.1), and the list of such lists (§9). */
  tokenStatusList: '/token-status-list',
  tokenStatusLists: '/token-status-lists',
  jwks: '/jwks',
  openidConfiguration: '/.well-known/openid-configuration',
  serverMetadata: '/.well-known/oauth-authorization-server',
} as const;
