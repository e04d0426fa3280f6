import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { accessTokenClaimsOf } from './account-finder.ts';
import { artifactKeyOf } from './artifact-key.ts';
import { roleOf } from './client-metadata.ts';
import { grantedOpenidScope } from './granted-scope.ts';

/**
 * What access tokens tell beside what every one does (RFC 9068 §2.2). A person acts in their own role; a machine in the
 * one it was given, and without one the API lets it do nothing.
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

/** What this server wants to know of a JWT, which it does not store, when it sees it again. */
function ownClaims(ctx: KoaContextWithOIDC, { format, grantId }: AccessToken) {
  if (format !== 'jwt' || !grantId) return undefined;
  // Apart from `scope`, which has only what means something to the API (RFC 9068 §3).
  const openidScope = grantedOpenidScope(ctx);
  return {
    // By its key in the storage, so that introspection finds out whether it was revoked, and nobody else anything.
    grant_id: artifactKeyOf(grantId),
    ...(openidScope !== undefined && { openid_scope: openidScope }),
  };
}
