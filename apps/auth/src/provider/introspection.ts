import type { AccessToken, Client, ClientCredentials, Configuration, RefreshToken } from 'oidc-provider';

/**
 * What becomes of others' tokens is nobody's business (RFC 7662 §2.1, §4); what the API is sent is answered by
 * `introspectAccessTokens`. Answers are signed for who asks for that (RFC 9701).
 */
export function createIntrospection() {
  return {
    introspection: { enabled: true, allowedPolicy: isOwn },
    jwtIntrospection: { enabled: true },
    // RFC 7009 §2.1. The answer is the same, so that nobody learns whether there is such a token (§2.2).
    revocation: { enabled: true, allowedPolicy: isOwn },
  } satisfies Configuration['features'];
}

function isOwn(
  _ctx: unknown,
  client: Client,
  token: AccessToken | ClientCredentials | RefreshToken,
): boolean {
  return token.clientId === client.clientId;
}
