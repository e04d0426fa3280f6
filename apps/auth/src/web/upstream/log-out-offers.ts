import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import { findUpstreamSession } from '../../artifacts/upstream-sessions.ts';
import type { SignedCookie } from '../kit/cookies/signed-cookie.ts';
import { upstreamPath } from './provider-buttons.ts';

/** Offers users who sign out here the log-out at the provider where they signed in. */
export interface LogOutOffers {
  attachTo(provider: Provider): void;
  /** Returns the name of the provider and the path of its log-out, once after a sign-out in this browser. */
  take(ctx: Context): { provider: string; href: string } | undefined;
}

export interface LogOutOffersOptions {
  /** Passes the id of the provider to the next page. */
  cookie: SignedCookie<string>;
  providers: readonly IdentityProvider[];
}

export function createLogOutOffers({ cookie, providers }: LogOutOffersOptions): LogOutOffers {
  const offering = providers.filter(({ isLogOutOffered }) => isLogOutOffered);

  function offer(ctx: KoaContextWithOIDC): void {
    const { session, params } = ctx.oidc;
    const upstream = session && params?.logout ? findUpstreamSession(session) : undefined;
    const found = offering.find(({ issuer }) => issuer === upstream?.issuer);
    if (found) cookie.set(ctx, found.id);
  }

  return {
    attachTo(provider) {
      if (offering.length > 0) provider.on('end_session.success', offer);
    },
    take(ctx) {
      const id = cookie.get(ctx);
      if (id !== undefined) cookie.clear(ctx);
      const found = offering.find((each) => each.id === id);
      return found && { provider: found.name, href: `${upstreamPath}/${found.id}/log-out` };
    },
  };
}
