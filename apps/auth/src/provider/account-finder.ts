import {
  type FindAccount,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
  type Account as ProviderAccount,
} from 'oidc-provider';
import { type AccessTokenClaims, toAccessTokenClaims, toClaims } from '../accounts/account/account.ts';
import type { AccountStore } from '../accounts/account/account-store.ts';
import { isSignInStillValid } from '../accounts/account/credential-epoch.ts';
import type { FactorOwner } from '../accounts/factors/second-factor-need.ts';
import { findCredentialEpoch } from '../artifacts/credential-epochs.ts';
import { createMaxAgeZeroCheck } from './grants/device-flow.ts';
import { createAcrCheck } from './tokens/requested-acr.ts';

/**
 * Creates the `findAccount` of oidc-provider. It reads the stored account at each sign-in, code and refresh, and only
 * accepts a session or token whose sign-in is still valid.
 */
export function createAccountFinder(accounts: Pick<AccountStore, 'find'>): FindAccount {
  return async (ctx, id, token) => {
    const signIn = token === undefined ? ctx.oidc.session : await getGrant(ctx, token);
    const account = await accounts.find(id);
    if (!signIn || !isSignInStillValid(account, findCredentialEpoch(signIn))) return undefined;
    return {
      accountId: id,
      accessTokenClaims: toAccessTokenClaims(account),
      claims: () => toClaims(account),
    };
  };
}

/** Returns the grant of a code or token. At the userinfo endpoint oidc-provider loads it only after the account. */
async function getGrant({ oidc }: KoaContextWithOIDC, token: object): Promise<Grant | undefined> {
  if (!('grantId' in token)) return undefined;
  const { Grant: known } = oidc.entities;
  return known?.jti === token.grantId ? known : oidc.provider.Grant.find(String(token.grantId));
}

/** Returns the claims that the account contributes to access tokens. */
export function accessTokenClaimsOf(account: ProviderAccount): AccessTokenClaims {
  return account.accessTokenClaims as AccessTokenClaims;
}

/** Finds out whether a session lacks the second factor that its account needs. */
export type LacksSecondFactor = (
  ctx: KoaContextWithOIDC,
  owner: FactorOwner,
  methods: readonly string[],
) => Promise<boolean>;

export interface InteractionPolicyOptions {
  isSignUpOpen: boolean;
  lacksSecondFactor: LacksSecondFactor;
}

async function isFactorMissing(
  ctx: KoaContextWithOIDC,
  lacksSecondFactor: LacksSecondFactor,
): Promise<boolean> {
  const { session, account } = ctx.oidc;
  if (!session || !account) return false;
  const owner = { id: account.accountId, role: accessTokenClaimsOf(account).role };
  const credentialEpoch = findCredentialEpoch(session);
  return lacksSecondFactor(ctx, { ...owner, credentialEpoch }, session.amr ?? []);
}

/**
 * Adapts the default policy of oidc-provider. `prompt=create` starts with sign-up where sign-up is open
 * (Initiating User Registration via OpenID Connect 1.0). A session whose account no longer exists requires a new
 * sign-in, and so does one that lacks the second factor of its account or is too weak for the request; the default
 * checks accept only the exact class.
 */
export function createInteractionPolicy({
  isSignUpOpen,
  lacksSecondFactor,
}: InteractionPolicyOptions): interactionPolicy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  if (isSignUpOpen) policy.add(new Prompt({ name: 'create', requestable: true }), 0);
  const checks = policy.get('login')?.checks;
  checks?.add(
    new Check('account_gone', 'End-User authentication is required', 'login_required', ({ oidc }) =>
      oidc.session?.accountId !== undefined && oidc.account === undefined
        ? Check.REQUEST_PROMPT
        : Check.NO_NEED_TO_PROMPT,
    ),
  );
  checks?.add(
    new Check('second_factor', 'a second factor is required', 'login_required', async (ctx) =>
      (await isFactorMissing(ctx, lacksSecondFactor)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
    ),
  );
  for (const replaced of ['essential_acr', 'essential_acrs']) checks?.remove(replaced);
  checks?.add(createAcrCheck());
  checks?.add(createMaxAgeZeroCheck());
  return policy;
}
