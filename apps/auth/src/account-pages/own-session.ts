import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { passwordAuthentication } from '../accounts/password-authentication.ts';
import type { Authenticated } from '../interactions/credentials-form.ts';
import { SESSION_TTL_SECONDS } from '../provider/configuration.ts';
import { setCredentialEpoch } from '../provider/credential-epochs.ts';
import { endSession } from '../provider/end-session.ts';

/** Somebody's session in this browser: the library's own, which authorization requests find as well. */
export type Session = InstanceType<Provider['Session']>;

/**
 * Signs somebody in without an application. The session has another id from now on, so that one which somebody else
 * knew or planted is worth nothing (OWASP ASVS 5.0 §7.2.4); that of another account ends, which its applications are told.
 */
export async function openSession(
  provider: Provider,
  ctx: Context,
  { account, loginTs }: Authenticated,
): Promise<void> {
  const found = await provider.Session.get(ctx);
  const isOfOther = found.accountId !== account.id;
  if (isOfOther && found.accountId !== undefined) await endSession(provider, found);
  const session = isOfOther ? new provider.Session() : found;
  if (!isOfOther) session.resetIdentifier();
  session.loginAccount({ accountId: account.id, loginTs, ...passwordAuthentication });
  setCredentialEpoch(session, account.credentialEpoch);
  await session.save(SESSION_TTL_SECONDS);
  setSessionCookie(provider, ctx, session.jti);
}

function setSessionCookie(provider: Provider, ctx: Context, id: string): void {
  ctx.cookies.set(provider.cookieName('session'), id, {
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    path: '/',
    overwrite: true,
    expires: new Date(Date.now() + SESSION_TTL_SECONDS * 1000),
  });
}
