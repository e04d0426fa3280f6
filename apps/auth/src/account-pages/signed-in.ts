import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Account } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { isSignInStillValid } from '../accounts/credential-epoch.ts';
import { credentialEpochOf } from '../provider/credential-epochs.ts';
import { withReturnTo } from './local-path.ts';
import type { Session } from './own-session.ts';

/** Who looks at a page of ours: their account as it is stored right now, and their session. */
export interface SignedInPerson {
  account: Account;
  session: Session;
}

export interface SignedInOptions {
  accounts: Pick<AccountStore, 'find'>;
}

/** Finds the person whose session this is, by the rule of the authorization endpoint: only while the sign-in is valid. */
export async function findSignedIn(
  provider: Provider,
  ctx: Context,
  { accounts }: SignedInOptions,
): Promise<SignedInPerson | undefined> {
  const session = await provider.Session.get(ctx);
  if (session.accountId === undefined || session.loginTs === undefined) return undefined;
  const account = await accounts.find(session.accountId);
  return isSignInStillValid(account, credentialEpochOf(session)) ? { account, session } : undefined;
}

/** Lets through who is signed in, for `signedInOf` to tell; leads everybody else to the sign-in page and back. */
export function requireSignedIn(provider: Provider, options: SignedInOptions): Middleware {
  return async function requirePerson(ctx, next) {
    const person = await findSignedIn(provider, ctx, options);
    if (person) {
      ctx.state.signedIn = person;
      return next();
    }
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 303;
    // What was posted is lost; the page that it came from is asked for again.
    ctx.redirect(withReturnTo('/sign-in', ctx.path + (ctx.method === 'POST' ? '' : ctx.search)));
  };
}

/** @throws {Error} on a route without `requireSignedIn` */
export function signedInOf(ctx: Context): SignedInPerson {
  const person: SignedInPerson | undefined = ctx.state.signedIn;
  if (!person) throw new Error(`${ctx.path} does not require anybody to be signed in.`);
  return person;
}
