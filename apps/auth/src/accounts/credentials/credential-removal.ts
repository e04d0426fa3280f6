import type { AccountOperations } from '../account/account-operations.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import { createFactors } from '../factors/factors.ts';
import { createIdentities } from '../identities/identities.ts';
import type { IdentityProvider } from '../identities/identity-provider.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { CredentialStore, Credentials } from './credential-store.ts';

export interface CredentialRemovalOptions {
  operations: Pick<AccountOperations, 'get'>;
  storage: {
    factors: Pick<FactorStore, 'find'>;
    identities: Pick<IdentityStore, 'find'>;
    credentials: CredentialStore;
  };
  /** The configured providers; the identities of other providers cannot be used. */
  identityProviders: readonly Pick<IdentityProvider, 'issuer'>[];
}

/** Returns the credentials that remain, not yet as the next versions; `undefined` leaves all as they are. */
export type Remaining = (stored: Credentials) => Credentials | undefined;

/**
 * Removal of passwords, passkeys and identities. The last way to sign in stays, even if several are removed
 * concurrently.
 */
export interface CredentialRemoval {
  /** Whether the user could no longer sign in. @throws {AppError} `not_found` */
  isLastWay(accountId: string, remaining: Remaining): Promise<boolean>;
  /**
   * Removes credentials unless the user could no longer sign in; an operator may force it.
   *
   * @throws {AppError} `not_found`
   */
  remove(
    accountId: string,
    remaining: Remaining,
    options?: { isForced?: boolean },
  ): Promise<'removed' | 'last' | 'unchanged'>;
}

export function createCredentialRemoval(options: CredentialRemovalOptions): CredentialRemoval {
  const { operations, storage, identityProviders } = options;

  async function read(accountId: string): Promise<Credentials> {
    const [account, factors, identities] = await Promise.all([
      operations.get(accountId),
      storage.factors.find(accountId),
      storage.identities.find(accountId),
    ]);
    return {
      account,
      factors: factors ?? createFactors(accountId),
      identities: identities ?? createIdentities(accountId),
    };
  }

  /** Whether the user can sign in: by a password, a passkey, or an identity at a configured provider. */
  function canSignIn({ account, factors, identities }: Credentials): boolean {
    const issuers = identityProviders.map(({ issuer }) => issuer);
    const hasIdentity = identities.identities.some(({ issuer }) => issuers.includes(issuer));
    return account.passwordHash !== null || factors.passkeys.length > 0 || hasIdentity;
  }

  return {
    async isLastWay(accountId, remaining) {
      const next = remaining(await read(accountId));
      return next !== undefined && !canSignIn(next);
    },
    async remove(accountId, remaining, { isForced = false } = {}) {
      for (;;) {
        const stored = await read(accountId);
        const next = remaining(stored);
        if (!next) return 'unchanged';
        if (!isForced && !canSignIn(next)) return 'last';
        if ((await storage.credentials.replaceAll(toNextVersions(stored, next))) === 'replaced')
          return 'removed';
      }
    },
  };
}

/** Every document gets another version, so that of two removals in different documents one has to decide again. */
function toNextVersions(stored: Credentials, { account, factors, identities }: Credentials): Credentials {
  return {
    account: { ...account, version: stored.account.version + 1 },
    factors: { ...factors, version: stored.factors.version + 1 },
    identities: { ...identities, version: stored.identities.version + 1 },
  };
}
