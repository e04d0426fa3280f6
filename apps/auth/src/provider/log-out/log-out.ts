import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { SigningKey } from '../../keys/signing-key.ts';
import type { ProviderPages, ResponsePages } from '../provider-pages.ts';
import { withQuery } from '../responses/response-modes.ts';
import { routes } from '../routes.ts';
import { decodeUnverified } from '../tokens/read-jwt.ts';

/** Settings of log-out by an application (OpenID Connect RP-Initiated Logout). The user always confirms it (§2). */
export function createRpInitiatedLogout(pages: ProviderPages) {
  return {
    enabled: true,
    logoutSource: pages.renderSignOut,
    postLogoutSuccessSource: pages.renderSignedOut,
  } satisfies NonNullable<Configuration['features']>['rpInitiatedLogout'];
}

/** Notifies applications when a user signs out (OpenID Connect Back-Channel Logout); `sid` identifies the session. */
export const backchannelLogout = { enabled: true };

/**
 * Creates middleware that redirects without confirmation when no user is signed in. oidc-provider has checked the
 * target, and its own page would do the same by script. For an unverified application a page asks first (RFC 9700
 * §4.11.2).
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
    if (typeof postLogoutRedirectUri !== 'string') return ctx.redirect(routes.endSessionSuccess);
    ctx.redirect(withQuery(postLogoutRedirectUri, typeof state === 'string' ? { state } : {}));
    if (await pages.mustConfirm(ctx)) pages.confirm(ctx, { redirectUri: postLogoutRedirectUri });
  };
}

/**
 * Creates middleware that accepts an `id_token_hint` whose signing key was deleted, using only its client. An
 * application keeps the ID token while its user is signed in, which may be longer than the key is retained; the user
 * must still be able to sign out. This adds no risk: a bare `client_id` needs no proof either, and the user confirms. A
 * hint with a known key must be valid (§4).
 */
export function acceptHintsOfDeletedKeys(keys: () => readonly Pick<SigningKey, 'kid'>[]): Middleware {
  return function readHintOfDeletedKey(ctx, next) {
    const { id_token_hint: hint, ...others } = ctx.query;
    if (typeof hint !== 'string') return next();
    const { header, claims } = decodeUnverified(hint) ?? {};
    if (typeof header?.kid !== 'string' || typeof claims?.aud !== 'string') return next();
    if (keys().some(({ kid }) => kid === header.kid)) return next();
    ctx.query = { client_id: claims.aud, ...others };
    return next();
  };
}
