import type { KoaContextWithOIDC } from 'oidc-provider';

/** Returns the granted OpenID Connect scopes that a token request covers; `undefined` without any. */
export function grantedOpenidScope({ oidc }: KoaContextWithOIDC): string | undefined {
  const { AuthorizationCode, DeviceCode, RefreshToken, Grant } = oidc.entities;
  const source = AuthorizationCode ?? DeviceCode ?? RefreshToken;
  const asked = oidc.params?.scope ? oidc.requestParamScopes : source?.scopes;
  return (asked && Grant?.getOIDCScopeFiltered(asked)) || undefined;
}

/**
 * Wraps a grant to return all granted scopes in the token response (RFC 6749 §5.1). oidc-provider returns only the
 * scopes in the access token, which for the API are its own (RFC 9068 §2.2.3). Clients compare the response with their
 * request.
 */
export function withGrantedScope<Ctx extends KoaContextWithOIDC>(handle: (ctx: Ctx) => void | Promise<void>) {
  return async function addGrantedScope(ctx: Ctx): Promise<void> {
    await handle(ctx);
    const scopes = [grantedOpenidScope(ctx), ctx.oidc.entities.AccessToken?.scope];
    const granted = new Set(scopes.flatMap((scope) => scope?.split(' ') ?? []));
    granted.delete('');
    if (granted.size > 0) Object.assign(Object(ctx.body), { scope: [...granted].join(' ') });
  };
}
