import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Account } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { isSignInStillValid } from '../../accounts/credential-epoch.ts';
import { credentialEpochOf } from '../../artifacts/credential-epochs.ts';
import { withReturnTo } from './local-path.ts';
import type { Session } from './own-session.ts';

/** Signed-in user of a request: the account as currently stored, and the session. */
export interface SignedInUser {
  account: Account;
  session: Session;
}

export interface SignedInOptions {
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
