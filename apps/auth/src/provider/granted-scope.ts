import type { KoaContextWithOIDC } from 'oidc-provider';

/** The granted scopes of OpenID Connect that a token request covers; `undefined` if there are none. */
export function grantedOpenidScope({ oidc }: KoaContextWithOIDC): string | undefined {
  const { AuthorizationCode, DeviceCode, RefreshToken, Grant } = oidc.entities;
  const source = AuthorizationCode ?? DeviceCode ?? RefreshToken;
  const asked = oidc.params?.scope ? oidc.requestParamScopes : source?.scopes;
  return (asked && Grant?.getOIDCScopeFiltered(asked)) || undefined;
}

/**
 * Names every granted scope in the token response (RFC 6749 §5.1). The library names only those in the access token,
 * which for the API are the API's own (RFC 9068 §2.2.3); clients compare the response with their request.
 */
export function namingGrantedScope<Ctx extends KoaContextWithOIDC>(
  handle: (ctx: Ctx) => void | Promise<void>,
) {
  return async function respondWithGrantedScope(ctx: Ctx): Promise<void> {
    await handle(ctx);
    const scopes = [grantedOpenidScope(ctx), ctx.oidc.entities.AccessToken?.scope];
    const granted = new Set(scopes.flatMap((scope) => scope?.split(' ') ?? []));
    granted.delete('');
    if (granted.size > 0) Object.assign(Object(ctx.body), { scope: [...granted].join(' ') });
  };
}
