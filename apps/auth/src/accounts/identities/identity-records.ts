import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations, SignInOwner } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import { isCurrentSignIn } from '../account/credential-epoch.ts';
import { updateDocument } from '../credentials/change-document.ts';
import { endDeviceTrust } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import { createIdentities, type Identities, isSameIdentity } from './identities.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { IdentityStore } from './identity-store.ts';
import type { UpstreamUser } from './upstream-user.ts';

export interface IdentityRecordsOptions {
  operations: AccountOperations;
  store: Pick<AccountStore, 'find'>;
  storage: { identities: IdentityStore };
  factors: Pick<FactorStore, 'find' | 'replace'>;
  now: () => Date;
  newId: () => string;
}

/** User of a provider, with the provider's configuration. */
export interface Upstream {
  provider: IdentityProvider;
  user: UpstreamUser;
}

/** Identities as linked to accounts. */
export interface IdentityRecords {
  find(accountId: string): Promise<Identities>;
  findOwner(user: UpstreamUser): Promise<Account | undefined>;
  /**
   * Stores the time and the label of a sign-in, unless a concurrent call changes the identities. Resolves with `false`
   * if the identity no longer belongs to the account.
   */
  recordUse(upstream: Upstream, accountId: string): Promise<boolean>;
  /** Adds an identity to an account, unless it has another credential epoch; records it and ends the trust in devices. */
  add(
    upstream: Upstream,
    owner: SignInOwner,
    origin: Origin,
  ): Promise<'linked' | 'already_linked' | 'taken' | 'stale' | 'sign_in_ended'>;
}

export function createIdentityRecords(options: IdentityRecordsOptions): IdentityRecords {
  const { operations, store, now, newId } = options;
  const { identities } = options.storage;

  const find = async (accountId: string) => (await identities.find(accountId)) ?? createIdentities(accountId);

  return {
    find,
    async findOwner({ issuer, subject }) {
      const stored = await identities.findByIdentity(issuer, subject);
      if (!stored) return undefined;
      const account = await store.find(stored.accountId);
      // An identity outlives its account only if a removal was interrupted.
      if (!account) await identities.remove(stored.accountId);
      return account;
    },
    async recordUse({ provider, user }, accountId) {
      const stored = await find(accountId);
      if (!stored.identities.some((each) => isSameIdentity(each, user))) return false;
      const used = { providerId: provider.id, label: user.label, lastUsedAt: now() };
      const next = stored.identities.map((each) =>
        isSameIdentity(each, user) ? { ...each, ...used } : each,
      );
      await identities.replace(updateDocument(stored, { identities: next }), stored.version);
      return true;
    },
    async add({ provider, user }, owner, origin) {
      const { id: accountId } = owner;
      const stored = await find(accountId);
      if (stored.identities.some((each) => isSameIdentity(each, user))) return 'already_linked';
      const { issuer, subject, label } = user;
      const link = { id: newId(), providerId: provider.id, linkedAt: now(), lastUsedAt: null };
      // Between the read and the compare-and-set: see `requireCurrentSignIn`.
      if (!isCurrentSignIn(await store.find(accountId), owner.credentialEpoch)) return 'sign_in_ended';
      const next = updateDocument(stored, {
        identities: [...stored.identities, { ...link, issuer, subject, label }],
      });
      const outcome = await identities.replace(next, stored.version);
      if (outcome !== 'replaced') return outcome === 'identity_taken' ? 'taken' : 'stale';
      await endDeviceTrust(options.factors, accountId);
      await operations.recordEvent('account.identity_linked', accountId, origin, { provider: provider.id });
      return 'linked';
    },
  };
}
