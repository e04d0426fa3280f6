import { AppError } from '@keydesk/server';
import type { Origin } from '../account/account-event.ts';
import {
  type AccountLinks,
  type AccountOperations,
  type SignInOwner,
  toSignInEndedError,
} from '../account/account-operations.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import type { CredentialRemoval, Remaining } from '../credentials/credential-removal.ts';
import type { Identities, Identity } from './identities.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { IdentityRecords, Upstream } from './identity-records.ts';
import { isAllowed } from './identity-sign-in.ts';

export interface IdentityLinksOptions {
  operations: AccountOperations;
  identityRecords: IdentityRecords;
  credentialRemoval: CredentialRemoval;
  background: BackgroundTasks;
  links: Pick<AccountLinks, 'requestPasswordReset'>;
  /** The configured providers; the identities of other providers cannot be used. */
  identityProviders: readonly IdentityProvider[];
}

export type LinkOutcome = 'linked' | 'already_linked' | 'taken' | 'domain_not_allowed' | 'address_unverified';

/** Identities of an account at other providers. */
export interface IdentityLinks {
  listIdentities(accountId: string): Promise<readonly Identity[]>;
  /**
   * Links an identity to the account of a user who is signed in to both, and notifies the owner.
   *
   * @throws {AppError} `forbidden` with the code `sign_in_ended`
   */
  linkIdentity(upstream: Upstream, owner: SignInOwner, origin: Origin): Promise<LinkOutcome>;
  /**
   * Unlinks an identity, notifies the owner and ends the trust in devices. Resolves with `last` if the user could no
   * longer sign in, unless an operator forces it.
   *
   * @throws {AppError} `not_found`
   */
  unlinkIdentity(
    link: { accountId: string; identityId: string; isForced?: boolean },
    origin: Origin,
  ): Promise<'unlinked' | 'last'>;
}

export function createIdentityLinks(options: IdentityLinksOptions): IdentityLinks {
  const { operations, identityRecords: records, credentialRemoval, identityProviders } = options;

  function notifyOwner(
    kind: 'identity_linked' | 'identity_unlinked',
    accountId: string,
    providerId: string,
  ): void {
    const provider = identityProviders.find(({ id }) => id === providerId)?.name ?? providerId;
    const link = options.links.requestPasswordReset();
    options.background.run(async () => {
      await operations.sendMail(kind, await operations.get(accountId), { provider, link });
    });
  }

  return {
    listIdentities: async (accountId) => (await records.find(accountId)).identities,
    async linkIdentity(upstream, owner, origin) {
      if (!isAllowed(upstream)) return 'domain_not_allowed';
      // The owner of the address has not confirmed whose identity opens the account (account pre-hijacking).
      if (!(await operations.get(owner.id)).emailVerified) return 'address_unverified';
      for (;;) {
        const outcome = await records.add(upstream, owner, origin);
        if (outcome === 'stale') continue;
        if (outcome === 'sign_in_ended') throw toSignInEndedError();
        if (outcome === 'linked') notifyOwner('identity_linked', owner.id, upstream.provider.id);
        return outcome;
      }
    },
    async unlinkIdentity({ accountId, identityId, isForced = false }, origin) {
      const { providerId: provider } = findIdentity(await records.find(accountId), identityId);
      const outcome = await credentialRemoval.remove(accountId, withoutIdentity(identityId), { isForced });
      if (outcome === 'last') return 'last';
      await operations.recordEvent('account.identity_unlinked', accountId, origin, { provider });
      notifyOwner('identity_unlinked', accountId, provider);
      return 'unlinked';
    },
  };
}

/** @throws {AppError} `not_found` */
function findIdentity({ identities }: Identities, id: string): Identity {
  const found = identities.find((each) => each.id === id);
  if (!found) throw new AppError('not_found', 'The account has no such identity.');
  return found;
}

/** @throws {AppError} `not_found` */
function withoutIdentity(id: string): Remaining {
  return ({ identities, factors, ...others }) => {
    const removed = findIdentity(identities, id);
    const remaining = identities.identities.filter((each) => each !== removed);
    return {
      ...others,
      identities: { ...identities, identities: remaining },
      factors: { ...factors, trustedDevices: [] },
    };
  };
}
