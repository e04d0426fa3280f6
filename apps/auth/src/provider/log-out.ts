import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { SigningKey } from '../keys/signing-key.ts';
import { routes } from './offered-routes.ts';
import type { ProviderPages } from './provider-pages.ts';
import { decodeUnverified } from './read-jwt.ts';
import { withQuery } from './response-modes.ts';
import type { ResponsePages } from './response-pages.ts';

/** Log-out that an application asks for (OpenID Connect RP-Initiated Logout): a person always confirms it (§2). */
export function createRpInitiatedLogout(pages: ProviderPages) {
  return {
    enabled: true,
    logoutSource: pages.renderSignOut,
    postLogoutSuccessSource: pages.renderSignedOut,
  } satisfies NonNullable<Configuration['features']>['rpInitiatedLogout'];
}

/** Applications are told when somebody signs out (OpenID Connect Back-Channel Logout); `sid` names the session. */
export const backchannelLogout = { enabled: true };

/**
 * Redirects who is not signed in without a confirmation: the library has checked the target, and its own page would do
 * the same by a script. Where the target is a stranger's, a page asks first (RFC 9700 §4.11.2).
 */
export function logOutWithoutSession(provider: Provider, pages: ResponsePages): Middleware {
  return async function skipConfirmation(context, next) {
    await next();
    const ctx = context as KoaContextWithOIDC;
    const session = ctx.oidc?.session;
    const isAsked = ctx.status === 200 && session !== undefined;
    if (!isAsked || session.accountId !== undefined) return;
    const { postLogoutRedirectUri, state } = session.state ?? {};
    await session.destroy();
    ctx.cookies.set(provider.cookieName('session'), null);
    ctx.status = 303;
    if (typeof postLogoutRedirectUri !== 'string') return ctx.redirect(`${routes.endSession}/success`);
    ctx.redirect(withQuery(postLogoutRedirectUri, typeof state === 'string' ? { state } : {}));
    if (await pages.mustAsk(ctx)) pages.ask(ctx, { redirectUri: postLogoutRedirectUri });
  };
}

/**
 * Takes an `id_token_hint` whose key is gone for what it still is: the name of a client. An application keeps the ID
 * token for as long as it is signed in, which may be longer than the key that signed it is kept; its user must be able
 * to sign out all the same. Nobody gains by it, for a `client_id` alone needs no proof either, and the person confirms.
 * A hint whose key is known must be good, as §4 asks.
 */
export function outlivedHints(keys: () => readonly Pick<SigningKey, 'kid'>[]): Middleware {
  return function readOutlivedHint(ctx, next) {
    const { id_token_hint: hint, ...others } = ctx.query;
    if (typeof hint !== 'string') return next();
    const { header, claims } = decodeUnverified(hint) ?? {};
    if (typeof header?.kid !== 'string' || typeof claims?.aud !== 'string') return next();
    if (keys().some(({ kid }) => kid === header.kid)) return next();
    ctx.query = { client_id: claims.aud, ...others };
    return next();
  };
}
