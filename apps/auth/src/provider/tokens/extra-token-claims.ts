import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { artifactKeyOf } from '../../artifacts/artifact-key.ts';
import { accessTokenClaimsOf } from '../account-finder.ts';
import { roleOf } from '../clients/client-metadata.ts';
import { grantedOpenidScope } from './granted-scope.ts';

/**
 * Returns the claims added to those of every access token (RFC 9068 §2.2). A user acts in the role of the account. A
 * machine acts in the role of its client; without a role the API permits nothing.
 */
export function extraTokenClaims(
  ctx: KoaContextWithOIDC,
  token: AccessToken | ClientCredentials,
): Record<string, unknown> | undefined {
  if (token.kind === 'ClientCredentials') {
    const role = token.client && roleOf(token.client);
    return role ? { role } : undefined;
  }
  const { account } = ctx.oidc;
  return account && { ...accessTokenClaimsOf(account), ...ownClaims(ctx, token) };
}

/** Returns claims that this server reads itself, because it does not store JWTs. */
function ownClaims(ctx: KoaContextWithOIDC, { format, grantId }: AccessToken) {
  if (format !== 'jwt' || !grantId) return undefined;
  // Separate from `scope`, which contains only scopes of the API (RFC 9068 §3).
  const openidScope = grantedOpenidScope(ctx);
  return {
    // The digest identifies the grant for introspection, without revealing its id.
    grant_id: artifactKeyOf(grantId),
    ...(openidScope !== undefined && { openid_scope: openidScope }),
  };
}
