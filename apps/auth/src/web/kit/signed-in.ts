import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Account } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { isSignInStillValid } from '../../accounts/credential-epoch.ts';
import { passwordAuthentication } from '../../accounts/passwords/password-authentication.ts';
import { credentialEpochOf, setCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import { SESSION_TTL_SECONDS } from '../../provider/configuration.ts';
import { endSession } from '../../provider/log-out/end-session.ts';
import type { Authenticated } from '../interaction/credentials-form.ts';
import { withReturnTo } from './local-path.ts';

/** Signed-in user of a request: the account as currently stored, and the session. */
interface SignedInUser {
  account: Account;
  session: Session;
}

interface SignedInOptions {
  accounts: Pick<AccountStore, 'find'>;
}

/** Finds the user of the session, if the sign-in is still valid; the authorization endpoint applies the same rule. */
export async function findSignedInUser(
  provider: Provider,
  ctx: Context,
  { accounts }: SignedInOptions,
): Promise<SignedInUser | undefined> {
  const session = await provider.Session.get(ctx);
  if (session.accountId === undefined || session.loginTs === undefined) return undefined;
  const account = await accounts.find(session.accountId);
  return isSignInStillValid(account, credentialEpochOf(session)) ? { account, session } : undefined;
}

/** Requires a session; `getSignedInUser` returns its user. Redirects other requests to the sign-in page and back. */
export function requireSignedIn(provider: Provider, options: SignedInOptions): Middleware {
  return async function requireUser(ctx, next) {
    const user = await findSignedInUser(provider, ctx, options);
    if (user) {
      ctx.state.signedIn = user;
      return next();
    }
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 303;
    // After a POST, the page of the form is requested again; its input is lost.
    ctx.redirect(withReturnTo('/sign-in', ctx.path + (ctx.method === 'POST' ? '' : ctx.search)));
  };
}

/** @throws {Error} on a route without `requireSignedIn` */
export function getSignedInUser(ctx: Context): SignedInUser {
  const user: SignedInUser | undefined = ctx.state.signedIn;
  if (!user) throw new Error(`${ctx.path} is not behind requireSignedIn.`);
  return user;
}

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
