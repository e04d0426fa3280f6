import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { scopesOf } from '../clients/client-metadata.ts';

const OFFLINE_ACCESS = 'offline_access';

/**
 * Keeps `offline_access` in authorization requests without `prompt=consent`, from which oidc-provider removes it.
 * OpenID Connect Core §11 allows other conditions: here the client is registered for it, and the consent page shows it
 * until the user grants it. oidc-provider checks the response type before the scope, and the redirect URI right after
 * it.
 */
export function keepOfflineAccess({ Client: { prototype } }: Provider): void {
  const { responseTypeAllowed, redirectUriAllowed } = prototype;
  const asked = new WeakSet<KoaContextWithOIDC>();

  prototype.responseTypeAllowed = function rememberOfflineAccess(type) {
    const { ctx } = Provider;
    const isAllowed = scopesOf(this).includes(OFFLINE_ACCESS) && this.grantTypeAllowed('refresh_token');
    if (ctx?.oidc.requestParamScopes.has(OFFLINE_ACCESS) && isAllowed) asked.add(ctx);
    return responseTypeAllowed.call(this, type);
  };

  prototype.redirectUriAllowed = function restoreOfflineAccess(uri) {
    const { ctx } = Provider;
    if (ctx?.oidc.params && asked.has(ctx))
      ctx.oidc.params.scope = [...ctx.oidc.requestParamScopes.add(OFFLINE_ACCESS)].join(' ');
    return redirectUriAllowed.call(this, uri);
  };
}
