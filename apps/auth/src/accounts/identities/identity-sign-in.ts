import { AppError } from '@keydesk/server';
import { type Account, createAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks, AccountOperations } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { maySignIn, withRole } from '../account/credential-epoch.ts';
import type { MailVerification } from '../sign-in/sign-up.ts';
import { isTrustedFor, toDomain } from './identity-provider.ts';
import type { IdentityRecords, Upstream } from './identity-records.ts';

export interface IdentitySignInOptions {
  operations: AccountOperations;
  store: AccountStore;
  identityRecords: IdentityRecords;
  background: BackgroundTasks;
  links: Pick<AccountLinks, 'requestPasswordReset'>;
  /** Mails the link that verifies the address of an account. */
  mailVerification: MailVerification;
  /** Removes all credentials of an account with an unverified address, and verifies the address. */
  reclaim(account: Account, origin: Origin): Promise<Account>;
  isSignUpOpen: boolean;
  now: () => Date;
  newId: () => string;
}

/** Reasons for which a provider's user does not get into an account. */
export type IdentityRefusal =
  | 'domain_not_allowed'
  | 'email_unverified'
  | 'sign_up_closed'
  | 'account_disabled'
  /** An account with the address exists; its owner has to sign in to it and link the identity there. */
  | 'sign_in_first';

export type IdentitySignInResult =
  | { account: Account; refusal?: undefined }
  | { account?: undefined; refusal: IdentityRefusal };

/** Sign-in with the identity of another provider. */
export interface IdentitySignIn {
  /**
   * Returns the account of the identity. An unknown identity is linked to the account with its address only if the
   * provider is trusted for the domain and says that the address is verified, or gets a new account.
   */
  signInWithIdentity(upstream: Upstream, origin: Origin): Promise<IdentitySignInResult>;
}

const refused = (refusal: IdentityRefusal): IdentitySignInResult => ({ refusal });
/** Concurrent sign-ins of one user. */
const MAX_TRIES = 5;

export function createIdentitySignIn(options: IdentitySignInOptions): IdentitySignIn {
  const { identityRecords: records } = options;
  const admitUnknown = createAdmission(options);

  /** Resolves with `undefined` if the identity was unlinked in between. */
  async function signIn(
    upstream: Upstream,
    found: Account,
    origin: Origin,
  ): Promise<IdentitySignInResult | undefined> {
    const mayEnter: boolean = maySignIn(found);
    if (!mayEnter) {
      const details = { provider: upstream.provider.id, reason: 'disabled' };
      await options.operations.recordEvent('account.sign_in_failed', found.id, origin, details);
      return refused('account_disabled');
    }
    const account = await applyRole(options, upstream, found, origin);
    // After the account was read: an identity that is unlinked later ends this sign-in.
    return (await records.recordUse(upstream, account.id)) ? { account } : undefined;
  }

  return {
    async signInWithIdentity(upstream, origin) {
      if (!isAllowed(upstream)) return refused('domain_not_allowed');
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const owner = await records.findOwner(upstream.user);
        const admitted = owner ? { account: owner } : await admitUnknown(upstream, origin);
        const result = admitted?.account ? await signIn(upstream, admitted.account, origin) : admitted;
        if (result) return result;
      }
      throw new AppError('unavailable', 'The account is being changed; try again in a few seconds.', {
        retryAfterSeconds: 1,
      });
    },
  };
}

/** Sets the role that the provider decides. */
async function applyRole(
  { operations }: IdentitySignInOptions,
  { provider, user }: Upstream,
  account: Account,
  origin: Origin,
): Promise<Account> {
  const { role: to } = user;
  if (to === undefined || account.role === to) return account;
  const changed = await operations.change(account.id, (stored, at) => withRole(stored, to, at));
  const details = { from: account.role, to, provider: provider.id };
  await operations.recordEvent('account.role_changed', account.id, origin, details);
  return changed;
}

/** Whether the user has a verified address of the domains that the operator allows. */
export function isAllowed({ provider, user }: Upstream): boolean {
  if (provider.allowedDomains.length === 0) return true;
  const { email, isEmailVerified } = user;
  return email !== undefined && isEmailVerified && provider.allowedDomains.includes(toDomain(email));
}

/** Returns `undefined` if a concurrent call has changed what it depends on. */
type Admit = (upstream: Upstream, origin: Origin) => Promise<IdentitySignInResult | undefined>;

/** Creates the function that finds or creates the account of an unknown identity. */
function createAdmission(options: IdentitySignInOptions): Admit {
  const { operations, store, identityRecords: records, background, now, newId } = options;

  async function createOwn(upstream: Upstream, email: string, origin: Origin): Promise<Account | undefined> {
    const { provider, user } = upstream;
    const verified = { email, emailVerified: isTrustedFor(provider, email) };
    const { profile, role = 'customer' } = user;
    const account = createAccount({ id: newId(), ...verified, profile, passwordHash: null, role }, now());
    if (!(await store.insert(account))) return undefined;
    const outcome = await records.add(upstream, account, origin);
    if (outcome === 'taken') {
      await store.remove(account.id);
      return undefined;
    }
    await operations.recordEvent('account.signed_up', account.id, origin, { provider: provider.id });
    if (!account.emailVerified) background.run(() => options.mailVerification(account, 'verify_email'));
    // A concurrent sign-in of the user has found the new account by its address; the next try finds what it linked.
    return outcome === 'stale' || outcome === 'sign_in_ended' ? undefined : account;
  }

  /** Whether the account belongs to another user of the provider, who had the address before. */
  async function hasOtherUser({ user }: Upstream, accountId: string): Promise<boolean> {
    const { identities } = await records.find(accountId);
    return identities.some(({ issuer }) => issuer === user.issuer);
  }

  /** Links an identity by its address. */
  async function adopt(
    upstream: Upstream,
    existing: Account,
    origin: Origin,
  ): Promise<IdentitySignInResult | undefined> {
    const { provider } = upstream;
    if (!isTrustedFor(provider, existing.email)) return refused('sign_in_first');
    if (existing.status === 'disabled') return refused('account_disabled');
    if (existing.status !== 'active') return refused('sign_in_first');
    if (existing.emailVerified && (await hasOtherUser(upstream, existing.id)))
      return refused('sign_in_first');
    const account = existing.emailVerified ? existing : await options.reclaim(existing, origin);
    if ((await records.add(upstream, account, origin)) !== 'linked') return undefined;
    const link = options.links.requestPasswordReset();
    background.run(() => operations.sendMail('identity_linked', account, { provider: provider.name, link }));
    return { account };
  }

  return async function admitUnknown(upstream, origin) {
    const { email, isEmailVerified } = upstream.user;
    // The same answer whether or not an account exists, because the user may not have the mailbox.
    if (email === undefined || !isEmailVerified) return refused('email_unverified');
    const existing = await store.findByEmail(email);
    if (existing) return adopt(upstream, existing, origin);
    if (!(upstream.provider.isSignUpOpen ?? options.isSignUpOpen)) return refused('sign_up_closed');
    const account = await createOwn(upstream, email, origin);
    return account && { account };
  };
}
