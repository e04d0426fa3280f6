import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { passwordAuthentication } from '../../accounts/passwords/password-authentication.ts';
import { setCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import { SESSION_TTL_SECONDS } from '../../provider/configuration.ts';
import { endSession } from '../../provider/log-out/end-session.ts';
import type { Authenticated } from '../interaction/credentials-form.ts';

/** Session of oidc-provider in this browser, shared with authorization requests. */
export type Session = InstanceType<Provider['Session']>;

/**
 * Signs a user in without an authorization request. The session gets a new id, so that a leaked or planted one is
 * invalid (OWASP ASVS 5.0 §7.2.4). A session of another account ends, and its clients are notified.
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
