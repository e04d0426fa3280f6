import type {
  AccessToken,
  Client,
  ClientCredentials,
  Configuration,
  FindAccount,
  KoaContextWithOIDC,
  RefreshToken,
} from 'oidc-provider';

type Token = AccessToken | ClientCredentials | RefreshToken;

/**
 * Restricts introspection to a client's own tokens (RFC 7662 §2.1, §4). `introspectAccessTokens` handles access tokens
 * for the API. Responses are signed on request (RFC 9701).
 */
export function createIntrospection(findAccount: FindAccount) {
  /** Whether an own token is valid. oidc-provider checks the grant of a token, but not its account. */
  async function isValidOwnToken(ctx: KoaContextWithOIDC, client: Client, token: Token): Promise<boolean> {
    if (!isOwnToken(ctx, client, token)) return false;
    return !('accountId' in token) || (await findAccount(ctx, token.accountId, token)) !== undefined;
  }

  return {
    introspection: { enabled: true, allowedPolicy: isValidOwnToken },
    jwtIntrospection: { enabled: true },
    // RFC 7009 §2.1. The response is the same in either case and does not reveal whether the token exists (§2.2).
    revocation: { enabled: true, allowedPolicy: isOwnToken },
  } satisfies Configuration['features'];
}

function isOwnToken(_ctx: unknown, client: Client, token: Token): boolean {
  return token.clientId === client.clientId;
}
