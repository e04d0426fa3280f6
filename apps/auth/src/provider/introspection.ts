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
 * What becomes of others' tokens is nobody's business (RFC 7662 §2.1, §4); what the API is sent is answered by
 * `introspectAccessTokens`. Answers are signed for who asks for that (RFC 9701).
 */
export function createIntrospection(findAccount: FindAccount) {
  /** The library looks at the grant of a token, and not at its account. */
  async function isOwnInUse(ctx: KoaContextWithOIDC, client: Client, token: Token): Promise<boolean> {
    if (!isOwn(ctx, client, token)) return false;
    return !('accountId' in token) || (await findAccount(ctx, token.accountId, token)) !== undefined;
  }

  return {
    introspection: { enabled: true, allowedPolicy: isOwnInUse },
    jwtIntrospection: { enabled: true },
    // RFC 7009 §2.1. The answer is the same, so that nobody learns whether there is such a token (§2.2).
    revocation: { enabled: true, allowedPolicy: isOwn },
  } satisfies Configuration['features'];
}

function isOwn(_ctx: unknown, client: Client, token: Token): boolean {
  return token.clientId === client.clientId;
}
