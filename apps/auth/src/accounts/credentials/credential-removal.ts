import type { IdentityProvider } from '../identities/identity-provider.ts';
import { type CredentialChangeOptions, changeCredentials, readCredentials } from './change-credentials.ts';
import type { Credentials } from './credential-store.ts';

export interface CredentialRemovalOptions extends CredentialChangeOptions {
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
  const { identityProviders } = options;

  /** Whether the user can sign in: by a password, a passkey, or an identity at a configured provider. */
  function canSignIn({ account, factors, identities }: Credentials): boolean {
    const issuers = identityProviders.map(({ issuer }) => issuer);
    const hasIdentity = identities.identities.some(({ issuer }) => issuers.includes(issuer));
    return account.passwordHash !== null || factors.passkeys.length > 0 || hasIdentity;
  }

  return {
    async isLastWay(accountId, remaining) {
      const next = remaining(await readCredentials(options, accountId));
      return next !== undefined && !canSignIn(next);
    },
    async remove(accountId, remaining, { isForced = false } = {}) {
      let isLast = false;
      const changed = await changeCredentials(options, accountId, (stored) => {
        const next = remaining(stored);
        isLast = next !== undefined && !isForced && !canSignIn(next);
        return isLast ? undefined : next;
      });
      if (changed) return 'removed';
      return isLast ? 'last' : 'unchanged';
    },
  };
}
