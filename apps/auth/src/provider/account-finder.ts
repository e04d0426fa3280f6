import {
  type FindAccount,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
  type Account as ProviderAccount,
} from 'oidc-provider';
import { type AccessTokenClaims, toAccessTokenClaims, toClaims } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { isSignInStillValid } from '../accounts/credential-epoch.ts';
import { credentialEpochOf } from './credential-epochs.ts';

/**
 * Finds accounts for the library, at each sign-in, code and refresh: as they are stored right now, and only for a session
 * or token whose sign-in is still valid.
 */
export function createAccountFinder(accounts: Pick<AccountStore, 'find'>): FindAccount {
  return async (ctx, id, token) => {
    const signIn = token === undefined ? ctx.oidc.session : await getGrant(ctx, token);
    const account = await accounts.find(id);
    if (!signIn || !isSignInStillValid(account, credentialEpochOf(signIn))) return undefined;
    return {
      accountId: id,
      accessTokenClaims: toAccessTokenClaims(account),
      claims: () => toClaims(account),
    };
  };
}

/** The grant of a code or token. At the userinfo endpoint the library finds it after the account. */
async function getGrant({ oidc }: KoaContextWithOIDC, token: object): Promise<Grant | undefined> {
  if (!('grantId' in token)) return undefined;
  const { Grant: known } = oidc.entities;
  return known?.jti === token.grantId ? known : oidc.provider.Grant.find(String(token.grantId));
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
