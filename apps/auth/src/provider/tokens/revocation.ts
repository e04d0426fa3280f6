import type { Middleware } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { FindIssuedAccessToken } from './issued-access-tokens.ts';
import { decodeUnverified } from './read-jwt.ts';

interface RevokedAccessTokensOptions {
  artifacts: Pick<ArtifactStore, 'revokeGrant'>;
  findIssued: FindIssuedAccessToken;
  now: () => Date;
  /** Records the revocation of an access token and its grant. */
  onRevoked(ctx: KoaContextWithOIDC, accountId: string): void;
}

/**
 * Creates middleware that revokes access tokens for the API, which are JWTs that oidc-provider rejects. It runs after
 * oidc-provider, which has then authenticated the client.
 *
 * A token of a user is revoked with its grant and the refresh token, because tokens have their status by grant (RFC
 * 7009 §2.1 allows it). A client's own tokens share one status, so its other tokens would end, too: they are still
 * rejected with `unsupported_token_type` (§2.2.1). Any other token is invalid for the client and gets 200 (§2.2).
 */
export function revokeAccessTokens({
  artifacts,
  findIssued,
  now,
  onRevoked,
}: RevokedAccessTokensOptions): Middleware {
  return async function revokeJwt(koaContext, next) {
    await next();
    const ctx = koaContext as KoaContextWithOIDC;
    const token = String(ctx.oidc?.params?.token);
    if (!isRejectedJwt(ctx.body) || decodeUnverified(token)?.header.typ !== 'at+jwt') return;
    const issued = await findIssued(token);
    const isOwn = issued?.claims.client_id === ctx.oidc.client?.clientId;
    if (issued && isOwn && !issued.grant) return;
    if (issued?.grant && isOwn) {
      await artifacts.revokeGrant(issued.grant.key, now());
      onRevoked(ctx, issued.claims.sub);
    }
    ctx.status = 200;
    ctx.state.errorCode = undefined;
    ctx.body = '';
  };
}

/** Whether oidc-provider rejected a token because it is a JWT. */
export function isRejectedJwt(body: unknown): boolean {
  return Object(body).error === 'unsupported_token_type';
}
