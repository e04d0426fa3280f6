import type { Context } from 'koa';
import type { FactorBrowser, PassedFactor } from '../../accounts/factors/second-factors.ts';
import { TRUST_DAYS } from '../../accounts/factors/trusted-devices.ts';
import { cookieName } from '../../provider/cookies.ts';

/** Cookies of a browser in which users have passed the second factor. */
export interface FactorCookies {
  read(ctx: Context): FactorBrowser;
  /** Stores what a passed factor adds. */
  store(ctx: Context, passed: Pick<PassedFactor, 'deviceCookie' | 'trustedSecret'>): void;
}

const ONE_DAY_MS = 86_400_000;
/** Accounts that can trust the same browser. */
const MAX_SECRETS = 4;
const SEPARATOR = '~';

export function createFactorCookies({ isHttps }: { isHttps: boolean }): FactorCookies {
  const device = cookieName('factor-device', isHttps);
  const trusted = cookieName('trusted-device', isHttps);
  const attributes = { httpOnly: true, sameSite: 'lax', signed: false } as const;
  const secretsOf = (ctx: Context) =>
    (ctx.cookies.get(trusted, { signed: false }) ?? '')
      .split(SEPARATOR)
      .filter((each) => /^[\w-]{43}$/.test(each))
      .slice(0, MAX_SECRETS);

  return {
    read: (ctx) => ({
      deviceCookie: ctx.cookies.get(device, { signed: false }),
      trustedSecrets: secretsOf(ctx),
    }),
    store(ctx, { deviceCookie, trustedSecret }) {
      ctx.cookies.set(device, deviceCookie, { ...attributes, maxAge: 365 * ONE_DAY_MS });
      if (trustedSecret === undefined) return;
      const secrets = [trustedSecret, ...secretsOf(ctx)].slice(0, MAX_SECRETS);
      ctx.cookies.set(trusted, secrets.join(SEPARATOR), { ...attributes, maxAge: TRUST_DAYS * ONE_DAY_MS });
    },
  };
}
