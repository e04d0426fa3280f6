import { type FindAccount, interactionPolicy, type Account as ProviderAccount } from 'oidc-provider';
import { type AccessTokenClaims, type Account, toAccessTokenClaims, toClaims } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';

/**
 * How the library finds a person, at each sign-in, code and refresh: as they are stored right now. Somebody who is
 * disabled, or whose password was changed since they authenticated, is unknown.
 */
export function createAccountFinder(accounts: Pick<AccountStore, 'find'>): FindAccount {
  return async (ctx, id, token) => {
    const account = await accounts.find(id);
    const authTime = token === undefined ? ctx.oidc.session?.loginTs : authTimeOf(token);
    if (!account || !mayGoOn(account, authTime)) return undefined;
    return {
      accountId: id,
      accessTokenClaims: toAccessTokenClaims(account),
      claims: () => toClaims(account),
    };
  };
}

/**
 * Whether somebody who authenticated at that time is still let in.
 *
 * @param authTime seconds since the epoch, rounded down
 */
export function mayGoOn(account: Account, authTime: number | undefined): boolean {
  return account.status !== 'disabled' && !isBeforePassword(authTime, account);
}

/** What access tokens of a person tell the API. */
export function accessTokenClaimsOf(account: ProviderAccount): AccessTokenClaims {
  return account.accessTokenClaims as AccessTokenClaims;
}

/**
 * The library's policy, and two steps more: who is to open an account begins with that (Initiating User Registration via
 * OpenID Connect 1.0), where sign-up is open; who has a session but no account any more signs in again.
 */
export function createInteractionPolicy({
  isSignUpOpen,
}: {
  isSignUpOpen: boolean;
}): interactionPolicy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  if (isSignUpOpen) policy.add(new Prompt({ name: 'create', requestable: true }), 0);
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'End-User authentication is required', 'login_required', ({ oidc }) =>
        oidc.session?.accountId !== undefined && oidc.account === undefined
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

function authTimeOf(token: object): number | undefined {
  return 'authTime' in token ? (token.authTime as number | undefined) : undefined;
}

function isBeforePassword(authTime: number | undefined, { passwordChangedAt }: Account): boolean {
  if (authTime === undefined || passwordChangedAt === null) return false;
  return authTime < Math.floor(passwordChangedAt.getTime() / 1000);
}
